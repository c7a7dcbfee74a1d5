-- Waits per pool, window and tenant of every computation, counted in buckets of 1% relative error (docs/definitions.md,
-- "Long ranges"); readers take those of the window's newest computation.
CREATE TABLE IF NOT EXISTS wait_histograms (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    computation UInt64,
    tenant String,
    waits Map(Int16, UInt64) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, computation, tenant)
SETTINGS non_replicated_deduplication_window = 1000
