-- Every record that became no event: its raw bytes (base64), where it came from, and why.
CREATE TABLE IF NOT EXISTS dead_letters (
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
ENGINE = ReplacingMergeTree(received_at_ms)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(received_at_ms, 'UTC'))
ORDER BY (source, position, content_hash)
SETTINGS non_replicated_deduplication_window = 1000
