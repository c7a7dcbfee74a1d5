-- `asked`: the jobs compute the range, not the command that wrote the row. What is counted is of the part before `done_to_ms`;
-- a failure, where there is one, is the last word.
ALTER TABLE backfill_progress
    ADD COLUMN IF NOT EXISTS asked UInt8,
    ADD COLUMN IF NOT EXISTS windows UInt64,
    ADD COLUMN IF NOT EXISTS written UInt64,
    ADD COLUMN IF NOT EXISTS expired UInt64,
    ADD COLUMN IF NOT EXISTS failure String
