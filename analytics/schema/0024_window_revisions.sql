-- What a window said before it was computed again after it was final: the figures without the tenants, as JSON. The tenants
-- of that computation are in tenant_windows still.
CREATE TABLE IF NOT EXISTS window_revisions (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    revision UInt32,
    computation UInt64,
    replaced_by UInt64,
    figures String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(replaced_by)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, revision)
SETTINGS non_replicated_deduplication_window = 1000
