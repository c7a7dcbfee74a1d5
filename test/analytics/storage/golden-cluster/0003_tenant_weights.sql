CREATE TABLE IF NOT EXISTS tenant_weights_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    tenant String,
    at_ms Int64,
    weight Float64,
    stored_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', stored_at_ms)
ORDER BY (pool, tenant, at_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS tenant_weights ON CLUSTER 'fleet-1' AS tenant_weights_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'tenant_weights_local', cityHash64(pool, tenant))
