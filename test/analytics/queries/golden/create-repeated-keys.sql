CREATE OR REPLACE TEMPORARY TABLE repeated_keys (repeated_key UInt64)
