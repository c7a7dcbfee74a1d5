-- How far the last computation by hand of a pool's range has come: one that was cut off goes on from there.
CREATE TABLE IF NOT EXISTS backfill_progress (
    pool LowCardinality(String),
    window_ms UInt64,
    from_ms Int64,
    to_ms Int64,
    done_to_ms Int64,
    updated_at_ms Int64
)
ENGINE = ReplacingMergeTree(updated_at_ms)
ORDER BY (pool, window_ms)
SETTINGS non_replicated_deduplication_window = 1000
