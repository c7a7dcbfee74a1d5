-- The group that a tenant stood in, and its figures in steps of a second: those of the definitions, and what verdicts go by
-- (docs/definitions.md, "Verdicts").
ALTER TABLE tenant_windows
    ADD COLUMN IF NOT EXISTS group_name Nullable(String),
    ADD COLUMN IF NOT EXISTS fluid_ideal_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_normalized_share Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_max_lag_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_excess_wait_ms Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_in_share_requests UInt64,
    ADD COLUMN IF NOT EXISTS fluid_ideal_backlog_cost Float64,
    ADD COLUMN IF NOT EXISTS fluid_due_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_shortfall_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_excess_cost Nullable(Float64),
    ADD COLUMN IF NOT EXISTS fluid_due_backlog_cost Float64
