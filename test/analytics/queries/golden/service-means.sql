SELECT intDiv(e, {window_ms:Int64}) AS step, sum(greatest(e - p, 1)) / count() AS mean_service_ms
FROM window_rows
WHERE kind = 1 AND e >= p
GROUP BY step
ORDER BY step
