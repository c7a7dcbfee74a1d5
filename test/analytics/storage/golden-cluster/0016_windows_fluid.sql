ALTER TABLE windows_local ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS fluid_jain_index Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_min_normalized_share Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_min_normalized_share_tenant Nullable(String),
    ADD COLUMN IF NOT EXISTS fluid_max_lag_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_max_lag_tenant Nullable(String),
    ADD COLUMN IF NOT EXISTS fluid_in_share_requests UInt64,
    ADD COLUMN IF NOT EXISTS fluid_in_share_samples UInt64,
    ADD COLUMN IF NOT EXISTS fluid_in_share_over_threshold UInt64,
    ADD COLUMN IF NOT EXISTS fluid_in_share_p99_wait_ms Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_work_per_busy_ms Nullable(Float64)
;
ALTER TABLE windows ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS fluid_jain_index Nullable(Float64), ADD COLUMN IF NOT EXISTS fluid_min_normalized_share Nullable(Float64), ADD COLUMN IF NOT EXISTS fluid_min_normalized_share_tenant Nullable(String), ADD COLUMN IF NOT EXISTS fluid_max_lag_cost Nullable(Float64), ADD COLUMN IF NOT EXISTS fluid_max_lag_tenant Nullable(String), ADD COLUMN IF NOT EXISTS fluid_in_share_requests UInt64, ADD COLUMN IF NOT EXISTS fluid_in_share_samples UInt64, ADD COLUMN IF NOT EXISTS fluid_in_share_over_threshold UInt64, ADD COLUMN IF NOT EXISTS fluid_in_share_p99_wait_ms Nullable(Float64), ADD COLUMN IF NOT EXISTS fluid_work_per_busy_ms Nullable(Float64)
