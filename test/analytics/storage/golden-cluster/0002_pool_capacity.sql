CREATE TABLE IF NOT EXISTS pool_capacity_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    at_ms Int64,
    source LowCardinality(String),
    slots Nullable(Float64),
    capacity_per_s Nullable(Float64),
    stored_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', stored_at_ms)
ORDER BY (pool, at_ms, source)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS pool_capacity ON CLUSTER 'fleet-1' AS pool_capacity_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'pool_capacity_local', cityHash64(pool))
