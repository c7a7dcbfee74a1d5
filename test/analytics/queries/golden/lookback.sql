SELECT min(first_arrival_ms) AS lookback_from_ms
FROM (
    SELECT hour, min(first_arrival_ms) AS first_arrival_ms, max(latest_end_ms) AS latest_end_ms
    FROM request_spans
    WHERE pool = {pool:String}
    GROUP BY hour
)
WHERE latest_end_ms >= {from_ms:Int64}
HAVING count() > 0
