CREATE TABLE IF NOT EXISTS alert_states_local ON CLUSTER 'fleet-1' (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', version)
ORDER BY (rule, pool)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS alert_states ON CLUSTER 'fleet-1' AS alert_states_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'alert_states_local', cityHash64(pool))
