CREATE TABLE IF NOT EXISTS coverage_reports_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    gateway String,
    from_ms Int64,
    to_ms Int64,
    decisions UInt64,
    stored_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', stored_at_ms)
ORDER BY (pool, gateway, from_ms, to_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS coverage_reports ON CLUSTER 'fleet-1' AS coverage_reports_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'coverage_reports_local', cityHash64(pool))
