SELECT pool, min(at_ms) AS earliest_ms
FROM (
    SELECT pool, arrived_at_ms AS at_ms FROM requests WHERE stored_at_ms >= {since_ms:Int64}
    UNION ALL
    SELECT pool, from_ms FROM coverage_reports WHERE stored_at_ms >= {since_ms:Int64}
)
GROUP BY pool
ORDER BY pool
