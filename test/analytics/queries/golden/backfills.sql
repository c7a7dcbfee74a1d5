SELECT pool, from_ms, to_ms, done_to_ms, asked, windows, written, expired, failure
FROM backfill_progress FINAL
WHERE window_ms = {window_ms:UInt64}
ORDER BY pool
