INSERT INTO tenant_rollups (pool, window_ms, period, start_ms, fingerprint, computation, tenant, cost_unit, windows, windows_final, windows_with_demand, windows_in_share, windows_under_90_percent, verdicts, arrived_cost_exact, arrived_cost_windows, arrived_cost_raw_exact, arrived_cost_raw_windows, demand_cost_exact, demand_cost_windows, fair_share_cost_exact, fair_share_cost_windows, served_cost_exact, served_cost_windows, fluid_ideal_cost_exact, fluid_ideal_cost_windows, quota_refused_cost_exact, compared_served_cost_exact, compared_served_cost_windows, compared_fair_share_cost_exact, compared_fair_share_cost_windows, requests, retries, rejected, gave_up, lost, skewed, fluid_in_share_requests, min_normalized_share, min_normalized_share_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, wait_samples, windows_with_samples, windows_under_100_samples, windows_p99_over_threshold, max_window_p99_wait_ms, max_window_p99_wait_ms_at_ms, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits) SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0, max_bytes_before_external_group_by = 536870912
SELECT {pool:String}, {window_ms:UInt64}, 'month', {from_ms:Int64}, (
        SELECT sum(fingerprint) FROM (SELECT arrayJoin({part_fingerprints:Array(UInt64)}) AS fingerprint)
    ), (
        SELECT max(computation) FROM pool_rollups
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND (period, start_ms, fingerprint) IN (
            SELECT ['hour', 'day', 'month'][part.1], part.2, part.3
            FROM (
                SELECT arrayJoin(arrayZip(
                    {part_periods:Array(UInt8)}, {part_starts:Array(Int64)}, {part_fingerprints:Array(UInt64)}
                )) AS part
            )
        )
    ), tenant, cost_unit, windows, windows_final, windows_with_demand, windows_in_share, windows_under_90_percent, verdicts, arrived_cost_exact, arrived_cost_windows, arrived_cost_raw_exact, arrived_cost_raw_windows, demand_cost_exact, demand_cost_windows, fair_share_cost_exact, fair_share_cost_windows, served_cost_exact, served_cost_windows, fluid_ideal_cost_exact, fluid_ideal_cost_windows, quota_refused_cost_exact, compared_served_cost_exact, compared_served_cost_windows, compared_fair_share_cost_exact, compared_fair_share_cost_windows, requests, retries, rejected, gave_up, lost, skewed, fluid_in_share_requests, min_normalized_share, min_normalized_share_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, wait_samples, windows_with_samples, windows_under_100_samples, windows_p99_over_threshold, max_window_p99_wait_ms, max_window_p99_wait_ms_at_ms, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits
FROM (
    SELECT r.tenant AS tenant, r.cost_unit AS cost_unit,
        sum(r.windows) AS windows,
        sum(r.windows_final) AS windows_final,
        sum(r.windows_with_demand) AS windows_with_demand,
        sum(r.windows_in_share) AS windows_in_share,
        sum(r.windows_under_90_percent) AS windows_under_90_percent,
        sumMap(r.verdicts) AS verdicts,
        sum(r.arrived_cost_exact) AS arrived_cost_exact,
        sum(r.arrived_cost_windows) AS arrived_cost_windows,
        sum(r.arrived_cost_raw_exact) AS arrived_cost_raw_exact,
        sum(r.arrived_cost_raw_windows) AS arrived_cost_raw_windows,
        sum(r.demand_cost_exact) AS demand_cost_exact,
        sum(r.demand_cost_windows) AS demand_cost_windows,
        sum(r.fair_share_cost_exact) AS fair_share_cost_exact,
        sum(r.fair_share_cost_windows) AS fair_share_cost_windows,
        sum(r.served_cost_exact) AS served_cost_exact,
        sum(r.served_cost_windows) AS served_cost_windows,
        sum(r.fluid_ideal_cost_exact) AS fluid_ideal_cost_exact,
        sum(r.fluid_ideal_cost_windows) AS fluid_ideal_cost_windows,
        sum(r.quota_refused_cost_exact) AS quota_refused_cost_exact,
        sum(r.compared_served_cost_exact) AS compared_served_cost_exact,
        sum(r.compared_served_cost_windows) AS compared_served_cost_windows,
        sum(r.compared_fair_share_cost_exact) AS compared_fair_share_cost_exact,
        sum(r.compared_fair_share_cost_windows) AS compared_fair_share_cost_windows,
        sum(r.requests) AS requests,
        sum(r.retries) AS retries,
        sumMap(r.rejected) AS rejected,
        sum(r.gave_up) AS gave_up,
        sum(r.lost) AS lost,
        sum(r.skewed) AS skewed,
        sum(r.fluid_in_share_requests) AS fluid_in_share_requests,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(min(if(r.min_normalized_share IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_normalized_share)))), 64) + toUInt64(toInt64(r.min_normalized_share_at_ms)))), bitNot(toUInt128(0))), 64))) AS min_normalized_share,
        if(nullIf(min(if(r.min_normalized_share IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_normalized_share)))), 64) + toUInt64(toInt64(r.min_normalized_share_at_ms)))), bitNot(toUInt128(0))) IS NULL, toInt64(0), toInt64(min(if(r.min_normalized_share IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_normalized_share)))), 64) + toUInt64(toInt64(r.min_normalized_share_at_ms)))))) AS min_normalized_share_at_ms,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(max(if(r.fluid_max_lag_cost IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_max_lag_cost)))), 64) + toUInt64(9223372036854775807 - toInt64(r.fluid_max_lag_cost_at_ms)))), toUInt128(0)), 64))) AS fluid_max_lag_cost,
        if(nullIf(max(if(r.fluid_max_lag_cost IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_max_lag_cost)))), 64) + toUInt64(9223372036854775807 - toInt64(r.fluid_max_lag_cost_at_ms)))), toUInt128(0)) IS NULL, toInt64(0), 9223372036854775807 - toInt64(max(if(r.fluid_max_lag_cost IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_max_lag_cost)))), 64) + toUInt64(9223372036854775807 - toInt64(r.fluid_max_lag_cost_at_ms)))))) AS fluid_max_lag_cost_at_ms,
        sum(r.wait_samples) AS wait_samples,
        sum(r.windows_with_samples) AS windows_with_samples,
        sum(r.windows_under_100_samples) AS windows_under_100_samples,
        sum(r.windows_p99_over_threshold) AS windows_p99_over_threshold,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(max(if(r.max_window_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_p99_wait_ms_at_ms)))), toUInt128(0)), 64))) AS max_window_p99_wait_ms,
        if(nullIf(max(if(r.max_window_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_p99_wait_ms_at_ms)))), toUInt128(0)) IS NULL, toInt64(0), 9223372036854775807 - toInt64(max(if(r.max_window_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_p99_wait_ms_at_ms)))))) AS max_window_p99_wait_ms_at_ms,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))), toUInt128(0)), 64))) AS max_wait_ms,
        if(nullIf(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))), toUInt128(0)) IS NULL, toInt64(0), 9223372036854775807 - toInt64(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))))) AS max_wait_ms_at_ms,
        sumMap(r.waits) AS waits,
        sumMap(r.not_in_share_waits) AS not_in_share_waits
    FROM (SELECT start_ms, tenant, cost_unit, windows, windows_final, windows_with_demand, windows_in_share, windows_under_90_percent, verdicts, arrived_cost_exact, arrived_cost_windows, arrived_cost_raw_exact, arrived_cost_raw_windows, demand_cost_exact, demand_cost_windows, fair_share_cost_exact, fair_share_cost_windows, served_cost_exact, served_cost_windows, fluid_ideal_cost_exact, fluid_ideal_cost_windows, quota_refused_cost_exact, compared_served_cost_exact, compared_served_cost_windows, compared_fair_share_cost_exact, compared_fair_share_cost_windows, requests, retries, rejected, gave_up, lost, skewed, fluid_in_share_requests, min_normalized_share, min_normalized_share_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, wait_samples, windows_with_samples, windows_under_100_samples, windows_p99_over_threshold, max_window_p99_wait_ms, max_window_p99_wait_ms_at_ms, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits
    FROM tenant_rollups FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND (period, start_ms, fingerprint) IN (
            SELECT ['hour', 'day', 'month'][part.1], part.2, part.3
            FROM (
                SELECT arrayJoin(arrayZip(
                    {part_periods:Array(UInt8)}, {part_starts:Array(Int64)}, {part_fingerprints:Array(UInt64)}
                )) AS part
            )
        )) AS r
    GROUP BY tenant, cost_unit
)
