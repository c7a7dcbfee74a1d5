-- Up to when (by the intake's clock) events have been looked through for windows that they change: what was stored before
-- is in the windows, whatever was computed by hand meanwhile.
CREATE TABLE IF NOT EXISTS job_progress (
    window_ms UInt64,
    late_checked_to_ms Int64
)
ENGINE = ReplacingMergeTree(late_checked_to_ms)
ORDER BY window_ms
SETTINGS non_replicated_deduplication_window = 1000
