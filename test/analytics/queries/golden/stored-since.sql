SELECT pool, min(arrived_at_ms) AS earliest_ms
FROM requests
WHERE stored_at_ms >= {since_ms:Int64}
GROUP BY pool
ORDER BY pool
