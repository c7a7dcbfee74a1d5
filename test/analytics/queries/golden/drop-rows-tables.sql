DROP TEMPORARY TABLE IF EXISTS window_rows, completed_rows, repeated_keys, actual_costs, beyond_share
