CREATE TABLE IF NOT EXISTS requests_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    minute DateTime('UTC') MATERIALIZED toDateTime(intDiv(arrived_at_ms, 60000) * 60, 'UTC'),
    tenant String,
    request_id String,
    attempt UInt32,
    arrived_at_ms Int64 CODEC(Delta, ZSTD(1)),
    outcome SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    outcome_least SimpleAggregateFunction(min, LowCardinality(Nullable(String))) DEFAULT outcome,
    reason SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    reason_least SimpleAggregateFunction(min, LowCardinality(Nullable(String))) DEFAULT reason,
    dispatched_at_ms SimpleAggregateFunction(max, Nullable(Int64)),
    dispatched_at_ms_least SimpleAggregateFunction(min, Nullable(Int64)) DEFAULT dispatched_at_ms,
    completed_at_ms SimpleAggregateFunction(max, Nullable(Int64)),
    completed_at_ms_least SimpleAggregateFunction(min, Nullable(Int64)) DEFAULT completed_at_ms,
    cost_estimate SimpleAggregateFunction(max, Nullable(Float64)),
    cost_estimate_least SimpleAggregateFunction(min, Nullable(Float64)) DEFAULT cost_estimate,
    cost SimpleAggregateFunction(max, Nullable(Float64)),
    cost_least SimpleAggregateFunction(min, Nullable(Float64)) DEFAULT cost,
    input_tokens SimpleAggregateFunction(max, Nullable(UInt64)),
    input_tokens_least SimpleAggregateFunction(min, Nullable(UInt64)) DEFAULT input_tokens,
    output_tokens SimpleAggregateFunction(max, Nullable(UInt64)),
    output_tokens_least SimpleAggregateFunction(min, Nullable(UInt64)) DEFAULT output_tokens,
    slots SimpleAggregateFunction(max, Nullable(Float64)),
    slots_least SimpleAggregateFunction(min, Nullable(Float64)) DEFAULT slots,
    status SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    class SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    original_request_id SimpleAggregateFunction(max, Nullable(String)),
    retry_after_ms SimpleAggregateFunction(max, Nullable(Float64)),
    promoted SimpleAggregateFunction(max, Nullable(UInt8)),
    weight SimpleAggregateFunction(max, Nullable(Float64)),
    queue_depth SimpleAggregateFunction(max, Nullable(Float64)),
    wait_budget_ms SimpleAggregateFunction(max, Nullable(Float64)),
    gateway SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    labels SimpleAggregateFunction(max, Nullable(String)),
    tenant_provenance SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    wait_provenance SimpleAggregateFunction(max, LowCardinality(Nullable(String))),
    deliveries SimpleAggregateFunction(sum, UInt64) DEFAULT 1,
    stored_at_ms SimpleAggregateFunction(max, Int64),
    arrived_at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(arrived_at_ms, 'UTC'),
    INDEX ends_at_ms_range multiIf(
        outcome = 'rejected', greatest(arrived_at_ms, ifNull(completed_at_ms, arrived_at_ms)),
        completed_at_ms IS NULL, 9223372036854775807,
        greatest(
            assumeNotNull(completed_at_ms),
            ifNull(dispatched_at_ms, arrived_at_ms) + 1,
            arrived_at_ms + assumeNotNull(completed_at_ms) - ifNull(dispatched_at_ms, arrived_at_ms)
        )
    ) TYPE minmax GRANULARITY 1,
    INDEX stored_at_ms_range stored_at_ms TYPE minmax GRANULARITY 1,
    INDEX is_retry_range isNotNull(original_request_id) TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYYYYMM(minute)
ORDER BY (pool, minute, tenant, request_id, attempt, arrived_at_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS requests ON CLUSTER 'fleet-1' AS requests_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'requests_local', cityHash64(pool, tenant))
