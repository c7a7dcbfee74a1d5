CREATE TABLE IF NOT EXISTS dead_letters_local ON CLUSTER 'fleet-1' (
    received_at_ms Int64,
    code LowCardinality(String),
    detail String,
    source String,
    position Int64,
    format LowCardinality(String),
    raw_base64 String CODEC(ZSTD(3)),
    raw_bytes UInt64,
    content_hash UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', received_at_ms)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(received_at_ms, 'UTC'))
ORDER BY (source, position, content_hash)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS dead_letters ON CLUSTER 'fleet-1' AS dead_letters_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'dead_letters_local', cityHash64(source))
