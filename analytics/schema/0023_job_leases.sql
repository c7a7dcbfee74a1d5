-- Which processes stand ready to run the jobs, a row each, renewed every few seconds; the first of those that live leads.
CREATE TABLE IF NOT EXISTS job_leases (
    holder String,
    term UInt64,
    renewal UInt64,
    is_released UInt8,
    renewed_at_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3, 'UTC'))
)
ENGINE = ReplacingMergeTree(renewal)
ORDER BY holder
TTL toDateTime(intDiv(renewed_at_ms, 1000), 'UTC') + INTERVAL 1 DAY
SETTINGS non_replicated_deduplication_window = 1000
