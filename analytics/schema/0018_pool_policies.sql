-- The policy of a pool from a moment on. `body` is what shares depend on, as canonical JSON; `source` the file's text as
-- it was; `digest` the SHA-256 of the body. Of two that hold from the same moment the one applied last counts.
CREATE TABLE IF NOT EXISTS pool_policies (
    pool LowCardinality(String),
    at_ms Int64,
    name String,
    digest String,
    body String,
    source String,
    applied_at_ms Int64
)
ENGINE = ReplacingMergeTree(applied_at_ms)
ORDER BY (pool, at_ms)
SETTINGS non_replicated_deduplication_window = 1000
