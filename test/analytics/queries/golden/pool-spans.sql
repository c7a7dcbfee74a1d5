SELECT pool, min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms, max(latest_end_ms) AS end_ms
FROM request_spans
GROUP BY pool
ORDER BY pool
