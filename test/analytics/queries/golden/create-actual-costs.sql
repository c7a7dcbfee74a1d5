CREATE OR REPLACE TEMPORARY TABLE actual_costs (tenant String, price_at_ms Int64, price Float64)
