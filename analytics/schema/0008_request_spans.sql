-- Per pool and hour of arrival the latest end of a request: how far back a window must look for long requests.
CREATE TABLE IF NOT EXISTS request_spans (
    pool LowCardinality(String),
    hour DateTime('UTC'),
    first_arrival_ms SimpleAggregateFunction(min, Int64),
    last_arrival_ms SimpleAggregateFunction(max, Int64),
    latest_end_ms SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
ORDER BY (pool, hour)
