-- The weight of a tenant in a pool from a moment on, as policies and configuration said.
CREATE TABLE IF NOT EXISTS tenant_weights (
    pool LowCardinality(String),
    tenant String,
    at_ms Int64,
    weight Float64,
    stored_at_ms Int64
)
ENGINE = ReplacingMergeTree(stored_at_ms)
ORDER BY (pool, tenant, at_ms)
SETTINGS non_replicated_deduplication_window = 1000
