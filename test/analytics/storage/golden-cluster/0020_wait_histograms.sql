CREATE TABLE IF NOT EXISTS wait_histograms_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    window_ms UInt64,
    start_ms Int64,
    computation UInt64,
    tenant String,
    waits Map(Int16, UInt64) CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(start_ms, 'UTC'))
ORDER BY (pool, window_ms, start_ms, computation, tenant)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS wait_histograms ON CLUSTER 'fleet-1' AS wait_histograms_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'wait_histograms_local', cityHash64(pool, tenant))
