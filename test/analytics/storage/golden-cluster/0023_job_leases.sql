CREATE TABLE IF NOT EXISTS job_leases_local ON CLUSTER 'fleet-1' (
    holder String,
    term UInt64,
    renewal UInt64,
    is_released UInt8,
    renewed_at_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3, 'UTC'))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/fleet-1/{shard}/{database}/{table}', '{replica}', renewal)
ORDER BY holder
TTL toDateTime(intDiv(renewed_at_ms, 1000), 'UTC') + INTERVAL 1 DAY
SETTINGS replicated_deduplication_window = 1000
;
CREATE TABLE IF NOT EXISTS job_leases ON CLUSTER 'fleet-1' AS job_leases_local
ENGINE = Distributed('fleet-1', currentDatabase(), 'job_leases_local', cityHash64(holder))
