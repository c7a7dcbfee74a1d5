SELECT min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms, max(latest_end_ms) AS end_ms
FROM request_spans
WHERE pool = {pool:String}
GROUP BY hour
ORDER BY hour
