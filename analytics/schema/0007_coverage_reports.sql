-- How many decisions a gateway counted itself in a span.
CREATE TABLE IF NOT EXISTS coverage_reports (
    pool LowCardinality(String),
    gateway String,
    from_ms Int64,
    to_ms Int64,
    decisions UInt64,
    stored_at_ms Int64
)
ENGINE = ReplacingMergeTree(stored_at_ms)
ORDER BY (pool, gateway, from_ms, to_ms)
SETTINGS non_replicated_deduplication_window = 1000
