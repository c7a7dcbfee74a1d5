CREATE TABLE IF NOT EXISTS window_revisions_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    revision UInt32,
    computation UInt64,
    replaced_by UInt64,
    figures String CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', replaced_by)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, revision)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS window_revisions ON CLUSTER 'fleet-1' AS window_revisions_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'window_revisions_local', cityHash64(pool))
