CREATE TABLE IF NOT EXISTS request_spans_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    hour DateTime('UTC'),
    first_arrival_ms SimpleAggregateFunction(min, Int64),
    last_arrival_ms SimpleAggregateFunction(max, Int64),
    latest_end_ms SimpleAggregateFunction(max, Int64)
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}')
ORDER BY (pool, hour)
;
CREATE TABLE IF NOT EXISTS request_spans ON CLUSTER 'fleet-1' AS request_spans_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'request_spans_local')
