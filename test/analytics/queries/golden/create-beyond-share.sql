CREATE OR REPLACE TEMPORARY TABLE beyond_share (tenant String, beyond_from_ms Int64, beyond_to_ms Int64)
