CREATE TABLE IF NOT EXISTS tenant_series_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    is_rest Bool,
    member String,
    computation UInt64,
    why LowCardinality(String),
    tenants UInt64,
    in_share Nullable(Bool),
    demand_cost Nullable(Float64),
    ideal_cost Nullable(Float64),
    served_cost Nullable(Float64),
    normalized_share Nullable(Float64),
    lag_cost Nullable(Float64),
    requests UInt64,
    retries UInt64,
    rejected UInt64,
    gave_up UInt64,
    in_share_requests Nullable(UInt64),
    wait_samples UInt64,
    wait_p99_ms Nullable(Float64),
    rejected_tenants UInt64,
    sample_tenants Array(String),
    sample_rejected Array(UInt64),
    sample_attempts Array(UInt64),
    state_tenants Array(String),
    state_by Array(String),
    state_stay_windows Array(UInt64),
    digest String
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', computation)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, is_rest, member)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS tenant_series ON CLUSTER 'fleet-1' AS tenant_series_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'tenant_series_local', cityHash64(pool))
