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
    PREWHERE ({all_tenants:Bool} OR tenant = {tenant:String})
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
    SELECT w.start_ms AS start_ms, t.tenant AS tenant, w.cost_unit AS cost_unit,
        toUInt64(1) AS windows,
        toUInt64(ifNull(w.state = 'final', 0)) AS windows_final,
        toUInt64(ifNull(t.demand_cost > 0, 0)) AS windows_with_demand,
        toUInt64(ifNull(t.in_share, 0)) AS windows_in_share,
        toUInt64(ifNull(t.normalized_share < 0.9, 0)) AS windows_under_90_percent,
        CAST(map(t.verdict, toUInt64(1)), 'Map(String, UInt64)') AS verdicts,
        toInt128(floor(ifNull(t.arrived_cost, 0))) * 1099511627776 + toInt64(round((ifNull(t.arrived_cost, 0) - floor(ifNull(t.arrived_cost, 0))) * 1099511627776)) AS arrived_cost_exact,
        toUInt64(ifNull(t.arrived_cost IS NOT NULL, 0)) AS arrived_cost_windows,
        toInt128(floor(ifNull(t.arrived_cost_raw, 0))) * 1099511627776 + toInt64(round((ifNull(t.arrived_cost_raw, 0) - floor(ifNull(t.arrived_cost_raw, 0))) * 1099511627776)) AS arrived_cost_raw_exact,
        toUInt64(ifNull(t.arrived_cost_raw IS NOT NULL, 0)) AS arrived_cost_raw_windows,
        toInt128(floor(ifNull(t.demand_cost, 0))) * 1099511627776 + toInt64(round((ifNull(t.demand_cost, 0) - floor(ifNull(t.demand_cost, 0))) * 1099511627776)) AS demand_cost_exact,
        toUInt64(ifNull(t.demand_cost IS NOT NULL, 0)) AS demand_cost_windows,
        toInt128(floor(ifNull(t.fair_share_cost, 0))) * 1099511627776 + toInt64(round((ifNull(t.fair_share_cost, 0) - floor(ifNull(t.fair_share_cost, 0))) * 1099511627776)) AS fair_share_cost_exact,
        toUInt64(ifNull(t.fair_share_cost IS NOT NULL, 0)) AS fair_share_cost_windows,
        toInt128(floor(ifNull(t.served_cost, 0))) * 1099511627776 + toInt64(round((ifNull(t.served_cost, 0) - floor(ifNull(t.served_cost, 0))) * 1099511627776)) AS served_cost_exact,
        toUInt64(ifNull(t.served_cost IS NOT NULL, 0)) AS served_cost_windows,
        toInt128(floor(ifNull(t.fluid_ideal_cost, 0))) * 1099511627776 + toInt64(round((ifNull(t.fluid_ideal_cost, 0) - floor(ifNull(t.fluid_ideal_cost, 0))) * 1099511627776)) AS fluid_ideal_cost_exact,
        toUInt64(ifNull(t.fluid_ideal_cost IS NOT NULL, 0)) AS fluid_ideal_cost_windows,
        toInt128(floor(t.quota_refused_cost)) * 1099511627776 + toInt64(round((t.quota_refused_cost - floor(t.quota_refused_cost)) * 1099511627776)) AS quota_refused_cost_exact,
        toInt128(floor(ifNull(if(t.fair_share_cost IS NULL, NULL, t.served_cost), 0))) * 1099511627776 + toInt64(round((ifNull(if(t.fair_share_cost IS NULL, NULL, t.served_cost), 0) - floor(ifNull(if(t.fair_share_cost IS NULL, NULL, t.served_cost), 0))) * 1099511627776)) AS compared_served_cost_exact,
        toUInt64(ifNull(if(t.fair_share_cost IS NULL, NULL, t.served_cost) IS NOT NULL, 0)) AS compared_served_cost_windows,
        toInt128(floor(ifNull(if(t.served_cost IS NULL, NULL, t.fair_share_cost), 0))) * 1099511627776 + toInt64(round((ifNull(if(t.served_cost IS NULL, NULL, t.fair_share_cost), 0) - floor(ifNull(if(t.served_cost IS NULL, NULL, t.fair_share_cost), 0))) * 1099511627776)) AS compared_fair_share_cost_exact,
        toUInt64(ifNull(if(t.served_cost IS NULL, NULL, t.fair_share_cost) IS NOT NULL, 0)) AS compared_fair_share_cost_windows,
        t.requests AS requests,
        t.retries AS retries,
        CAST(t.rejected, 'Map(String, UInt64)') AS rejected,
        t.gave_up AS gave_up,
        t.lost AS lost,
        t.skewed AS skewed,
        t.fluid_in_share_requests AS fluid_in_share_requests,
        toNullable(t.normalized_share) AS min_normalized_share,
        if(t.normalized_share IS NOT NULL, w.start_ms, toInt64(0)) AS min_normalized_share_at_ms,
        toNullable(t.fluid_max_lag_cost) AS fluid_max_lag_cost,
        if(t.fluid_max_lag_cost IS NOT NULL, w.start_ms, toInt64(0)) AS fluid_max_lag_cost_at_ms,
        t.wait_samples AS wait_samples,
        toUInt64(ifNull(t.wait_samples > 0, 0)) AS windows_with_samples,
        toUInt64(ifNull(t.wait_samples > 0 AND t.wait_samples < 100, 0)) AS windows_under_100_samples,
        toUInt64(ifNull(t.wait_p99_ms > w.in_share_threshold_ms, 0)) AS windows_p99_over_threshold,
        toNullable(t.wait_p99_ms) AS max_window_p99_wait_ms,
        if(t.wait_p99_ms IS NOT NULL, w.start_ms, toInt64(0)) AS max_window_p99_wait_ms_at_ms,
        toNullable(t.wait_max_ms) AS max_wait_ms,
        if(t.wait_max_ms IS NOT NULL, w.start_ms, toInt64(0)) AS max_wait_ms_at_ms,
        CAST(map(), 'Map(Int16, UInt64)') AS waits,
        CAST(map(), 'Map(Int16, UInt64)') AS not_in_share_waits
    FROM (SELECT * FROM tenant_windows FINAL
        PREWHERE ({all_tenants:Bool} OR tenant = {tenant:String})
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
            AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)}))) AS t
    INNER JOIN (SELECT start_ms, cost_unit, state, in_share_threshold_ms FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AS w ON w.start_ms = t.start_ms
    UNION ALL
    SELECT h.hour_ms AS start_ms, h.tenant AS tenant, h.cost_unit AS cost_unit,
        toUInt64(0) AS windows,
        toUInt64(0) AS windows_final,
        toUInt64(0) AS windows_with_demand,
        toUInt64(0) AS windows_in_share,
        toUInt64(0) AS windows_under_90_percent,
        CAST(map(), 'Map(String, UInt64)') AS verdicts,
        toInt128(0) AS arrived_cost_exact,
        toUInt64(0) AS arrived_cost_windows,
        toInt128(0) AS arrived_cost_raw_exact,
        toUInt64(0) AS arrived_cost_raw_windows,
        toInt128(0) AS demand_cost_exact,
        toUInt64(0) AS demand_cost_windows,
        toInt128(0) AS fair_share_cost_exact,
        toUInt64(0) AS fair_share_cost_windows,
        toInt128(0) AS served_cost_exact,
        toUInt64(0) AS served_cost_windows,
        toInt128(0) AS fluid_ideal_cost_exact,
        toUInt64(0) AS fluid_ideal_cost_windows,
        toInt128(0) AS quota_refused_cost_exact,
        toInt128(0) AS compared_served_cost_exact,
        toUInt64(0) AS compared_served_cost_windows,
        toInt128(0) AS compared_fair_share_cost_exact,
        toUInt64(0) AS compared_fair_share_cost_windows,
        toUInt64(0) AS requests,
        toUInt64(0) AS retries,
        CAST(map(), 'Map(String, UInt64)') AS rejected,
        toUInt64(0) AS gave_up,
        toUInt64(0) AS lost,
        toUInt64(0) AS skewed,
        toUInt64(0) AS fluid_in_share_requests,
        CAST(NULL, 'Nullable(Float64)') AS min_normalized_share,
        toInt64(0) AS min_normalized_share_at_ms,
        CAST(NULL, 'Nullable(Float64)') AS fluid_max_lag_cost,
        toInt64(0) AS fluid_max_lag_cost_at_ms,
        toUInt64(0) AS wait_samples,
        toUInt64(0) AS windows_with_samples,
        toUInt64(0) AS windows_under_100_samples,
        toUInt64(0) AS windows_p99_over_threshold,
        CAST(NULL, 'Nullable(Float64)') AS max_window_p99_wait_ms,
        toInt64(0) AS max_window_p99_wait_ms_at_ms,
        CAST(NULL, 'Nullable(Float64)') AS max_wait_ms,
        toInt64(0) AS max_wait_ms_at_ms,
        h.waits AS waits,
        h.not_in_share_waits AS not_in_share_waits
    FROM (SELECT toInt64(0) AS hour_ms, g.tenant AS tenant, w.cost_unit AS cost_unit,
            sumMap(g.waits) AS waits,
            sumMapIf(g.waits, (g.start_ms, g.tenant) IN (
                SELECT start_ms, tenant FROM tenant_windows FINAL
        PREWHERE ({all_tenants:Bool} OR tenant = {tenant:String})
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
            AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AND ifNull(in_share, 0) = 0
            )) AS not_in_share_waits
        FROM (SELECT * FROM wait_histograms FINAL
        PREWHERE ({all_tenants:Bool} OR tenant = {tenant:String})
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
            AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)}))) AS g
        INNER JOIN (SELECT start_ms, cost_unit FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})) AS w ON w.start_ms = g.start_ms
        GROUP BY hour_ms, tenant, cost_unit) AS h) AS r
    GROUP BY tenant, cost_unit
ORDER BY tenant, cost_unit
