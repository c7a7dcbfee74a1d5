CREATE TABLE IF NOT EXISTS stream_progress_local ON CLUSTER 'fleet-1' (
    topic String,
    partition UInt32,
    from_offset Int64,
    to_offset Int64,
    messages UInt64,
    events UInt64,
    letters UInt64,
    stored_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', stored_at_ms)
ORDER BY (topic, partition, from_offset, to_offset)
TTL toDateTime(intDiv(stored_at_ms, 1000), 'UTC') + INTERVAL 30 DAY
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS stream_progress ON CLUSTER 'fleet-1' AS stream_progress_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'stream_progress_local', cityHash64(topic))
