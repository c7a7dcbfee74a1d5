CREATE TABLE IF NOT EXISTS backfill_progress_local ON CLUSTER 'fleet-1' (
    pool LowCardinality(String),
    window_ms UInt64,
    from_ms Int64,
    to_ms Int64,
    done_to_ms Int64,
    updated_at_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', updated_at_ms)
ORDER BY (pool, window_ms)
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS backfill_progress ON CLUSTER 'fleet-1' AS backfill_progress_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'backfill_progress_local', cityHash64(pool))
