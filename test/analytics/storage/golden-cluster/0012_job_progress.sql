CREATE TABLE IF NOT EXISTS job_progress_local ON CLUSTER 'fleet-1' (
    window_ms UInt64,
    late_checked_to_ms Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', late_checked_to_ms)
ORDER BY window_ms
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS job_progress ON CLUSTER 'fleet-1' AS job_progress_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'job_progress_local', cityHash64(window_ms))
