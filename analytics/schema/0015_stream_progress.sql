-- Which messages of a topic were stored by one batch, and what they became: rows against offsets, so that a gap shows.
CREATE TABLE IF NOT EXISTS stream_progress (
    topic String,
    partition UInt32,
    from_offset Int64,
    to_offset Int64,
    messages UInt64,
    events UInt64,
    letters UInt64,
    stored_at_ms Int64
)
ENGINE = ReplacingMergeTree(stored_at_ms)
ORDER BY (topic, partition, from_offset, to_offset)
TTL toDateTime(intDiv(stored_at_ms, 1000), 'UTC') + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 1000
