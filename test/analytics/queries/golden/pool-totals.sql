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
        )
    UNION ALL
    SELECT w.start_ms AS start_ms, w.cost_unit AS cost_unit,
        toUInt64(1) AS windows,
        toUInt64(ifNull(w.state = 'final', 0)) AS windows_final,
        toUInt64(ifNull(w.revision > 1, 0)) AS windows_restated,
        toUInt64(ifNull(w.policy_changed, 0)) AS windows_policy_changed,
        CAST(map(w.verdict, toUInt64(1)), 'Map(String, UInt64)') AS verdicts,
        CAST(mapFromArrays(arrayDistinct(w.verdict_reasons), arrayMap(name -> toUInt64(1), arrayDistinct(w.verdict_reasons))), 'Map(String, UInt64)') AS verdict_reasons,
        CAST(mapFromArrays(arrayDistinct(arrayConcat(if(empty(w.over_served_tenants), [], ['over_served']), w.other_causes)), arrayMap(name -> toUInt64(1), arrayDistinct(arrayConcat(if(empty(w.over_served_tenants), [], ['over_served']), w.other_causes)))), 'Map(String, UInt64)') AS causes,
        toInt128(floor(ifNull(w.capacity_cost, 0))) * 1099511627776 + toInt64(round((ifNull(w.capacity_cost, 0) - floor(ifNull(w.capacity_cost, 0))) * 1099511627776)) AS capacity_cost_exact,
        toUInt64(ifNull(w.capacity_cost IS NOT NULL, 0)) AS capacity_cost_windows,
        toInt128(floor(ifNull(w.demand_cost, 0))) * 1099511627776 + toInt64(round((ifNull(w.demand_cost, 0) - floor(ifNull(w.demand_cost, 0))) * 1099511627776)) AS demand_cost_exact,
        toUInt64(ifNull(w.demand_cost IS NOT NULL, 0)) AS demand_cost_windows,
        toInt128(floor(ifNull(w.served_cost, 0))) * 1099511627776 + toInt64(round((ifNull(w.served_cost, 0) - floor(ifNull(w.served_cost, 0))) * 1099511627776)) AS served_cost_exact,
        toUInt64(ifNull(w.served_cost IS NOT NULL, 0)) AS served_cost_windows,
        w.requests AS requests,
        w.attempts AS attempts,
        w.conflicts AS conflicts,
        w.skewed AS skewed,
        w.lost AS lost,
        toNullable(w.min_normalized_share) AS min_normalized_share,
        if(w.min_normalized_share IS NOT NULL, w.start_ms, toInt64(0)) AS min_normalized_share_at_ms,
        if(w.min_normalized_share IS NOT NULL, ifNull(w.min_normalized_share_tenant, ''), '') AS min_normalized_share_tenant,
        toNullable(w.jain_index) AS min_jain_index,
        if(w.jain_index IS NOT NULL, w.start_ms, toInt64(0)) AS min_jain_index_at_ms,
        toNullable(w.fluid_min_normalized_share) AS fluid_min_normalized_share,
        if(w.fluid_min_normalized_share IS NOT NULL, w.start_ms, toInt64(0)) AS fluid_min_normalized_share_at_ms,
        if(w.fluid_min_normalized_share IS NOT NULL, ifNull(w.fluid_min_normalized_share_tenant, ''), '') AS fluid_min_normalized_share_tenant,
        toNullable(w.fluid_jain_index) AS fluid_min_jain_index,
        if(w.fluid_jain_index IS NOT NULL, w.start_ms, toInt64(0)) AS fluid_min_jain_index_at_ms,
        toNullable(w.fluid_max_lag_cost) AS fluid_max_lag_cost,
        if(w.fluid_max_lag_cost IS NOT NULL, w.start_ms, toInt64(0)) AS fluid_max_lag_cost_at_ms,
        if(w.fluid_max_lag_cost IS NOT NULL, ifNull(w.fluid_max_lag_tenant, ''), '') AS fluid_max_lag_cost_tenant,
        w.in_share_requests AS in_share_requests,
        w.in_share_samples AS in_share_samples,
        w.in_share_over_threshold AS in_share_over_threshold,
        w.fluid_in_share_requests AS fluid_in_share_requests,
        w.fluid_in_share_samples AS fluid_in_share_samples,
        w.fluid_in_share_over_threshold AS fluid_in_share_over_threshold,
        toNullable(w.in_share_p99_wait_ms) AS max_window_in_share_p99_wait_ms,
        if(w.in_share_p99_wait_ms IS NOT NULL, w.start_ms, toInt64(0)) AS max_window_in_share_p99_wait_ms_at_ms,
        w.wait_samples AS wait_samples,
        toNullable(w.wait_max_ms) AS max_wait_ms,
        if(w.wait_max_ms IS NOT NULL, w.start_ms, toInt64(0)) AS max_wait_ms_at_ms,
        CAST(map(), 'Map(Int16, UInt64)') AS waits,
        CAST(map(), 'Map(Int16, UInt64)') AS not_in_share_waits
    FROM (SELECT * FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AS w
    UNION ALL
    SELECT h.hour_ms AS start_ms, h.cost_unit AS cost_unit,
        toUInt64(0) AS windows,
        toUInt64(0) AS windows_final,
        toUInt64(0) AS windows_restated,
        toUInt64(0) AS windows_policy_changed,
        CAST(map(), 'Map(String, UInt64)') AS verdicts,
        CAST(map(), 'Map(String, UInt64)') AS verdict_reasons,
        CAST(map(), 'Map(String, UInt64)') AS causes,
        toInt128(0) AS capacity_cost_exact,
        toUInt64(0) AS capacity_cost_windows,
        toInt128(0) AS demand_cost_exact,
        toUInt64(0) AS demand_cost_windows,
        toInt128(0) AS served_cost_exact,
        toUInt64(0) AS served_cost_windows,
        toUInt64(0) AS requests,
        toUInt64(0) AS attempts,
        toUInt64(0) AS conflicts,
        toUInt64(0) AS skewed,
        toUInt64(0) AS lost,
        CAST(NULL, 'Nullable(Float64)') AS min_normalized_share,
        toInt64(0) AS min_normalized_share_at_ms,
        '' AS min_normalized_share_tenant,
        CAST(NULL, 'Nullable(Float64)') AS min_jain_index,
        toInt64(0) AS min_jain_index_at_ms,
        CAST(NULL, 'Nullable(Float64)') AS fluid_min_normalized_share,
        toInt64(0) AS fluid_min_normalized_share_at_ms,
        '' AS fluid_min_normalized_share_tenant,
        CAST(NULL, 'Nullable(Float64)') AS fluid_min_jain_index,
        toInt64(0) AS fluid_min_jain_index_at_ms,
        CAST(NULL, 'Nullable(Float64)') AS fluid_max_lag_cost,
        toInt64(0) AS fluid_max_lag_cost_at_ms,
        '' AS fluid_max_lag_cost_tenant,
        toUInt64(0) AS in_share_requests,
        toUInt64(0) AS in_share_samples,
        toUInt64(0) AS in_share_over_threshold,
        toUInt64(0) AS fluid_in_share_requests,
        toUInt64(0) AS fluid_in_share_samples,
        toUInt64(0) AS fluid_in_share_over_threshold,
        CAST(NULL, 'Nullable(Float64)') AS max_window_in_share_p99_wait_ms,
        toInt64(0) AS max_window_in_share_p99_wait_ms_at_ms,
        toUInt64(0) AS wait_samples,
        CAST(NULL, 'Nullable(Float64)') AS max_wait_ms,
        toInt64(0) AS max_wait_ms_at_ms,
        h.waits AS waits,
        h.not_in_share_waits AS not_in_share_waits
    FROM (SELECT toInt64(0) AS hour_ms, w.cost_unit AS cost_unit,
            sumMap(g.waits) AS waits,
            sumMapIf(g.waits, (g.start_ms, g.tenant) IN (
                SELECT start_ms, tenant FROM tenant_windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
            AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AND ifNull(in_share, 0) = 0
            )) AS not_in_share_waits
        FROM (SELECT * FROM wait_histograms FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
            AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)}))) AS g
        INNER JOIN (SELECT start_ms, cost_unit FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AS w ON w.start_ms = g.start_ms
        GROUP BY hour_ms, cost_unit) AS h) AS r
    GROUP BY cost_unit
ORDER BY cost_unit
