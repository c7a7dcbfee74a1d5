-- What a pool could do from a moment on, as it announced itself or as the configuration said.
CREATE TABLE IF NOT EXISTS pool_capacity (
    pool LowCardinality(String),
    at_ms Int64,
    source LowCardinality(String),
    slots Nullable(Float64),
    capacity_per_s Nullable(Float64),
    stored_at_ms Int64
)
ENGINE = ReplacingMergeTree(stored_at_ms)
ORDER BY (pool, at_ms, source)
SETTINGS non_replicated_deduplication_window = 1000
