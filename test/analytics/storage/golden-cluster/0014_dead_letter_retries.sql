CREATE TABLE IF NOT EXISTS dead_letter_retries_local ON CLUSTER 'fleet-1' (
    letter_id UInt64,
    outcome LowCardinality(String),
    code LowCardinality(String),
    detail String,
    retried_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}')
ORDER BY (letter_id, retried_at_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS dead_letter_retries ON CLUSTER 'fleet-1' AS dead_letter_retries_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'dead_letter_retries_local', cityHash64(letter_id))
