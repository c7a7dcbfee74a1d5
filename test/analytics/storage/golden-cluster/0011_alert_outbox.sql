CREATE TABLE IF NOT EXISTS alert_outbox_local ON CLUSTER 'fleet-1' (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', version)
ORDER BY (id, receiver)
TTL toDateTime(intDiv(created_at_ms, 1000), 'UTC') + toIntervalDay(400)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS alert_outbox ON CLUSTER 'fleet-1' AS alert_outbox_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'alert_outbox_local', cityHash64(id))
