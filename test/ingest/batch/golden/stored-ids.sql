SELECT DISTINCT request_id
FROM requests
WHERE pool IN {pools:Array(String)}
    AND minute IN (SELECT toDateTime(arrayJoin({minutes:Array(Int64)}), 'UTC'))
    AND request_id IN (SELECT arrayJoin(splitByChar('\n', {request_ids:String})))
