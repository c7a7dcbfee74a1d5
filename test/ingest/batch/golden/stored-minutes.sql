SELECT pool, toInt64(toUnixTimestamp(minute)) AS minute_s
FROM requests
WHERE pool IN {pools:Array(String)} AND minute IN (SELECT toDateTime(arrayJoin({minutes:Array(Int64)}), 'UTC'))
GROUP BY pool, minute
