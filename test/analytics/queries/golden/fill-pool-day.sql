INSERT INTO pool_rollups (pool, window_ms, period, start_ms, fingerprint, computation, cost_unit, windows, windows_final, windows_restated, windows_policy_changed, verdicts, verdict_reasons, causes, capacity_cost_exact, capacity_cost_windows, demand_cost_exact, demand_cost_windows, served_cost_exact, served_cost_windows, requests, attempts, conflicts, skewed, lost, min_normalized_share, min_normalized_share_at_ms, min_normalized_share_tenant, min_jain_index, min_jain_index_at_ms, fluid_min_normalized_share, fluid_min_normalized_share_at_ms, fluid_min_normalized_share_tenant, fluid_min_jain_index, fluid_min_jain_index_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, fluid_max_lag_cost_tenant, in_share_requests, in_share_samples, in_share_over_threshold, fluid_in_share_requests, fluid_in_share_samples, fluid_in_share_over_threshold, max_window_in_share_p99_wait_ms, max_window_in_share_p99_wait_ms_at_ms, wait_samples, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits) SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0, max_bytes_before_external_group_by = 536870912
SELECT {pool:String}, {window_ms:UInt64}, 'day', {from_ms:Int64}, (
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
    ), cost_unit, windows, windows_final, windows_restated, windows_policy_changed, verdicts, verdict_reasons, causes, capacity_cost_exact, capacity_cost_windows, demand_cost_exact, demand_cost_windows, served_cost_exact, served_cost_windows, requests, attempts, conflicts, skewed, lost, min_normalized_share, min_normalized_share_at_ms, min_normalized_share_tenant, min_jain_index, min_jain_index_at_ms, fluid_min_normalized_share, fluid_min_normalized_share_at_ms, fluid_min_normalized_share_tenant, fluid_min_jain_index, fluid_min_jain_index_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, fluid_max_lag_cost_tenant, in_share_requests, in_share_samples, in_share_over_threshold, fluid_in_share_requests, fluid_in_share_samples, fluid_in_share_over_threshold, max_window_in_share_p99_wait_ms, max_window_in_share_p99_wait_ms_at_ms, wait_samples, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits
FROM (
    SELECT r.cost_unit AS cost_unit,
        sum(r.windows) AS windows,
        sum(r.windows_final) AS windows_final,
        sum(r.windows_restated) AS windows_restated,
        sum(r.windows_policy_changed) AS windows_policy_changed,
        sumMap(r.verdicts) AS verdicts,
        sumMap(r.verdict_reasons) AS verdict_reasons,
        sumMap(r.causes) AS causes,
        sum(r.capacity_cost_exact) AS capacity_cost_exact,
        sum(r.capacity_cost_windows) AS capacity_cost_windows,
        sum(r.demand_cost_exact) AS demand_cost_exact,
        sum(r.demand_cost_windows) AS demand_cost_windows,
        sum(r.served_cost_exact) AS served_cost_exact,
        sum(r.served_cost_windows) AS served_cost_windows,
        sum(r.requests) AS requests,
        sum(r.attempts) AS attempts,
        sum(r.conflicts) AS conflicts,
        sum(r.skewed) AS skewed,
        sum(r.lost) AS lost,
        nullIf(tupleElement(min((ifNull(r.min_normalized_share, inf), r.min_normalized_share_at_ms, r.min_normalized_share_tenant)), 1), inf) AS min_normalized_share,
        tupleElement(min((ifNull(r.min_normalized_share, inf), r.min_normalized_share_at_ms, r.min_normalized_share_tenant)), 2) AS min_normalized_share_at_ms,
        tupleElement(min((ifNull(r.min_normalized_share, inf), r.min_normalized_share_at_ms, r.min_normalized_share_tenant)), 3) AS min_normalized_share_tenant,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(min(if(r.min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_jain_index)))), 64) + toUInt64(toInt64(r.min_jain_index_at_ms)))), bitNot(toUInt128(0))), 64))) AS min_jain_index,
        if(nullIf(min(if(r.min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_jain_index)))), 64) + toUInt64(toInt64(r.min_jain_index_at_ms)))), bitNot(toUInt128(0))) IS NULL, toInt64(0), toInt64(min(if(r.min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.min_jain_index)))), 64) + toUInt64(toInt64(r.min_jain_index_at_ms)))))) AS min_jain_index_at_ms,
        nullIf(tupleElement(min((ifNull(r.fluid_min_normalized_share, inf), r.fluid_min_normalized_share_at_ms, r.fluid_min_normalized_share_tenant)), 1), inf) AS fluid_min_normalized_share,
        tupleElement(min((ifNull(r.fluid_min_normalized_share, inf), r.fluid_min_normalized_share_at_ms, r.fluid_min_normalized_share_tenant)), 2) AS fluid_min_normalized_share_at_ms,
        tupleElement(min((ifNull(r.fluid_min_normalized_share, inf), r.fluid_min_normalized_share_at_ms, r.fluid_min_normalized_share_tenant)), 3) AS fluid_min_normalized_share_tenant,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(min(if(r.fluid_min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_min_jain_index)))), 64) + toUInt64(toInt64(r.fluid_min_jain_index_at_ms)))), bitNot(toUInt128(0))), 64))) AS fluid_min_jain_index,
        if(nullIf(min(if(r.fluid_min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_min_jain_index)))), 64) + toUInt64(toInt64(r.fluid_min_jain_index_at_ms)))), bitNot(toUInt128(0))) IS NULL, toInt64(0), toInt64(min(if(r.fluid_min_jain_index IS NULL, bitNot(toUInt128(0)), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.fluid_min_jain_index)))), 64) + toUInt64(toInt64(r.fluid_min_jain_index_at_ms)))))) AS fluid_min_jain_index_at_ms,
        nullIf(tupleElement(max((ifNull(r.fluid_max_lag_cost, -1.), -r.fluid_max_lag_cost_at_ms, r.fluid_max_lag_cost_tenant)), 1), -1.) AS fluid_max_lag_cost,
        -tupleElement(max((ifNull(r.fluid_max_lag_cost, -1.), -r.fluid_max_lag_cost_at_ms, r.fluid_max_lag_cost_tenant)), 2) AS fluid_max_lag_cost_at_ms,
        tupleElement(max((ifNull(r.fluid_max_lag_cost, -1.), -r.fluid_max_lag_cost_at_ms, r.fluid_max_lag_cost_tenant)), 3) AS fluid_max_lag_cost_tenant,
        sum(r.in_share_requests) AS in_share_requests,
        sum(r.in_share_samples) AS in_share_samples,
        sum(r.in_share_over_threshold) AS in_share_over_threshold,
        sum(r.fluid_in_share_requests) AS fluid_in_share_requests,
        sum(r.fluid_in_share_samples) AS fluid_in_share_samples,
        sum(r.fluid_in_share_over_threshold) AS fluid_in_share_over_threshold,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(max(if(r.max_window_in_share_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_in_share_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_in_share_p99_wait_ms_at_ms)))), toUInt128(0)), 64))) AS max_window_in_share_p99_wait_ms,
        if(nullIf(max(if(r.max_window_in_share_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_in_share_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_in_share_p99_wait_ms_at_ms)))), toUInt128(0)) IS NULL, toInt64(0), 9223372036854775807 - toInt64(max(if(r.max_window_in_share_p99_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_window_in_share_p99_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_window_in_share_p99_wait_ms_at_ms)))))) AS max_window_in_share_p99_wait_ms_at_ms,
        sum(r.wait_samples) AS wait_samples,
        reinterpretAsFloat64(toUInt64(bitShiftRight(nullIf(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))), toUInt128(0)), 64))) AS max_wait_ms,
        if(nullIf(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))), toUInt128(0)) IS NULL, toInt64(0), 9223372036854775807 - toInt64(max(if(r.max_wait_ms IS NULL, toUInt128(0), bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.max_wait_ms)))), 64) + toUInt64(9223372036854775807 - toInt64(r.max_wait_ms_at_ms)))))) AS max_wait_ms_at_ms,
        sumMap(r.waits) AS waits,
        sumMap(r.not_in_share_waits) AS not_in_share_waits
    FROM (SELECT start_ms, cost_unit, windows, windows_final, windows_restated, windows_policy_changed, verdicts, verdict_reasons, causes, capacity_cost_exact, capacity_cost_windows, demand_cost_exact, demand_cost_windows, served_cost_exact, served_cost_windows, requests, attempts, conflicts, skewed, lost, min_normalized_share, min_normalized_share_at_ms, min_normalized_share_tenant, min_jain_index, min_jain_index_at_ms, fluid_min_normalized_share, fluid_min_normalized_share_at_ms, fluid_min_normalized_share_tenant, fluid_min_jain_index, fluid_min_jain_index_at_ms, fluid_max_lag_cost, fluid_max_lag_cost_at_ms, fluid_max_lag_cost_tenant, in_share_requests, in_share_samples, in_share_over_threshold, fluid_in_share_requests, fluid_in_share_samples, fluid_in_share_over_threshold, max_window_in_share_p99_wait_ms, max_window_in_share_p99_wait_ms_at_ms, wait_samples, max_wait_ms, max_wait_ms_at_ms, waits, not_in_share_waits
    FROM pool_rollups FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND (period, start_ms, fingerprint) IN (
            SELECT ['hour', 'day', 'month'][part.1], part.2, part.3
            FROM (
                SELECT arrayJoin(arrayZip(
                    {part_periods:Array(UInt8)}, {part_starts:Array(Int64)}, {part_fingerprints:Array(UInt64)}
                )) AS part
            )
        )) AS r
    GROUP BY cost_unit
)
