SELECT pool, from_ms, to_ms, done_to_ms
FROM backfill_progress FINAL
WHERE window_ms = {window_ms:UInt64} AND done_to_ms < to_ms
ORDER BY pool
