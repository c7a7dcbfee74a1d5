-- Notifications by their stable id, with how far their delivery has come; the highest version counts.
CREATE TABLE IF NOT EXISTS alert_outbox (
    id String,
    receiver LowCardinality(String),
    version UInt64,
    rule LowCardinality(String),
    pool LowCardinality(String),
    transition LowCardinality(String),
    created_at_ms Int64,
    body String,
    attempts UInt32,
    next_attempt_ms Int64,
    state LowCardinality(String),
    last_error String
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (id, receiver)
TTL toDateTime(intDiv(created_at_ms, 1000), 'UTC') + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000
