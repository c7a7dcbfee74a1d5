CREATE TABLE IF NOT EXISTS pool_policies_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    at_ms Int64,
    name String,
    digest String,
    body String,
    source String,
    applied_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', applied_at_ms)
ORDER BY (pool, at_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS pool_policies ON CLUSTER 'fleet-1' AS pool_policies_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'pool_policies_local', cityHash64(pool))
