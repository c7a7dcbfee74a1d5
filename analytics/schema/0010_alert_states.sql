-- What is known of each rule in each pool; the newest version counts. Times are event time: the windows'.
CREATE TABLE IF NOT EXISTS alert_states (
    rule LowCardinality(String),
    pool LowCardinality(String),
    version UInt64,
    state LowCardinality(String),
    breaching UInt32,
    recovering UInt32,
    since_ms Int64,
    worst_p99_wait_ms Nullable(Float64),
    evaluated_to_ms Int64,
    incident_id String,
    notified Bool
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (rule, pool)
SETTINGS non_replicated_deduplication_window = 1000
