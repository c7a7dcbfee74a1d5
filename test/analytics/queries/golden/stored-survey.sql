SELECT
    sum(repeated) AS repeated_rows,
    (SELECT count() FROM (SELECT 1 FROM requests WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({lookback_from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({refused_from_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {lookback_from_ms:Int64} AND arrived_at_ms < {refused_from_ms:Int64} AND isNotNull(original_request_id) > 0 LIMIT 1)) AS earlier_retries
FROM (
    SELECT length(groupArray(row_key) AS row_keys) - arrayUniq(row_keys) AS repeated
    FROM (SELECT cityHash64(request_id, attempt) AS row_key FROM requests WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({refused_from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {refused_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64})
    GROUP BY row_key % 256
)
