-- The lines that are drawn: per pool and window at most K tenants and the rest (`is_rest`, without a name). Truth per
-- tenant is in tenant_windows. All rows of a window carry the SHA-256 of its lines: readers take those that carry that of
-- the rest, and nothing that an earlier computation left. The column is `member`, not `tenant`, so that all rows of a
-- window lie in one shard and become visible together.
CREATE TABLE IF NOT EXISTS tenant_series (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    is_rest Bool,
    member String,
    computation UInt64,
    why LowCardinality(String),
    -- 1, or how many tenants the rest holds.
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
    -- Of the rest only: who of it was refused, and who was shown, for the next window.
    rejected_tenants UInt64,
    sample_tenants Array(String),
    sample_rejected Array(UInt64),
    sample_attempts Array(UInt64),
    state_tenants Array(String),
    state_by Array(String),
    state_stay_windows Array(UInt64),
    digest String
)
ENGINE = ReplacingMergeTree(computation)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, is_rest, member)
SETTINGS non_replicated_deduplication_window = 1000
