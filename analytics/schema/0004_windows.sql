-- One row per pool and window: the newest computation counts. `reasons` says per figure why it is null.
CREATE TABLE IF NOT EXISTS windows (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    computation UInt64,
    revision UInt32,
    state LowCardinality(String),
    verdict LowCardinality(String),
    verdict_reasons Array(String),
    over_served_tenants Array(String),
    other_causes Array(String),
    coverage_ratio Nullable(Float64),
    cost_unit LowCardinality(String),
    capacity_cost Nullable(Float64),
    capacity_basis LowCardinality(String),
    demand_cost Nullable(Float64),
    served_cost Nullable(Float64),
    water_level Nullable(Float64),
    tenants_with_demand UInt64,
    jain_index Nullable(Float64),
    min_normalized_share Nullable(Float64),
    min_normalized_share_tenant Nullable(String),
    requests UInt64,
    attempts UInt64,
    waiting_at_end UInt64,
    utilization_ratio Nullable(Float64),
    wait_p50_ms Nullable(Float64),
    wait_p95_ms Nullable(Float64),
    wait_p99_ms Nullable(Float64),
    wait_max_ms Nullable(Float64),
    wait_samples UInt64,
    wait_provenance LowCardinality(String),
    policy_changed Bool,
    conflicts UInt64,
    skewed UInt64,
    lost UInt64,
    in_share_tenants UInt64,
    in_share_requests UInt64,
    in_share_samples UInt64,
    in_share_over_threshold UInt64,
    in_share_threshold_ms Float64,
    in_share_p99_wait_ms Nullable(Float64),
    in_share_provisional Bool,
    idle_while_waiting_ratio Nullable(Float64),
    reasons Map(String, String),
    -- What the next window needs of this one (docs/definitions.md): mean service time, work per busy slot-ms, and the
    -- served cost where a request was waiting all the time.
    mean_service_ms Nullable(Float64),
    work_per_busy_ms Nullable(Float64),
    saturated_served_cost Nullable(Float64),
    watermark_ms Int64,
    -- SHA-256 of the whole result, tenants included: a computation that changes nothing is not written.
    digest String
)
ENGINE = ReplacingMergeTree(computation)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms)
SETTINGS non_replicated_deduplication_window = 1000
