SELECT pool, max(start_ms) + {window_ms:Int64} AS computed_to_ms, argMax(watermark_ms, (start_ms, computation)) AS watermark
FROM windows
WHERE window_ms = {window_ms:UInt64}
GROUP BY pool
ORDER BY pool
