SELECT pool, max(start_ms) AS latest_ms
FROM windows
WHERE window_ms = {window_ms:UInt64}
GROUP BY pool
ORDER BY pool
