CREATE TABLE IF NOT EXISTS tenant_windows_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    computation UInt64,
    tenant String,
    weight Float64,
    verdict LowCardinality(String),
    arrived_cost Nullable(Float64),
    arrived_cost_raw Nullable(Float64),
    demand_cost Nullable(Float64),
    backlog_cost Nullable(Float64),
    fair_share_cost Nullable(Float64),
    served_cost Nullable(Float64),
    normalized_share Nullable(Float64),
    in_share Nullable(Bool),
    lag_cost Nullable(Float64),
    ideal_backlog_cost Nullable(Float64),
    requests UInt64,
    retries UInt64,
    rejected Map(LowCardinality(String), UInt64),
    gave_up UInt64,
    lost UInt64,
    skewed UInt64,
    quota_refused_cost Float64,
    wait_p50_ms Nullable(Float64),
    wait_p95_ms Nullable(Float64),
    wait_p99_ms Nullable(Float64),
    wait_max_ms Nullable(Float64),
    wait_samples UInt64,
    wait_provenance LowCardinality(String)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, computation, tenant)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS tenant_windows ON CLUSTER 'fleet-1' AS tenant_windows_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'tenant_windows_local', cityHash64(pool, tenant))
