SELECT
    step,
    tenant,
    toFloat64(sum(offered_admitted_whole)) + toFloat64(sum(offered_admitted_fractions)) / 1099511627776 AS offered_admitted,
    toFloat64(sum(offered_refused_whole)) + toFloat64(sum(offered_refused_fractions)) / 1099511627776 AS offered_refused,
    toFloat64(sum(served_whole)) + toFloat64(sum(served_fractions)) / 1099511627776 AS served,
    toFloat64(sum(late_whole)) + toFloat64(sum(late_fractions)) / 1099511627776 AS late,
    toFloat64(sum(late_after_whole)) + toFloat64(sum(late_after_fractions)) / 1099511627776 AS late_after,
    toFloat64(sum(busy_ms_whole)) + toFloat64(sum(busy_ms_fractions)) / 1099511627776 AS busy_ms,
    max(step_largest_cost) AS largest_cost_in_service,
    sum(step_waiting) AS waiting_at_end,
    sum(step_open) AS open_requests,
    min(step_smallest) AS smallest_slots,
    max(step_largest) AS largest_slots
FROM (
    SELECT
        intDiv(a, {window_ms:Int64}) AS step,
        tenant,
        sumIf(toInt128(floor(cost)), NOT superseded) AS offered_admitted_whole, sumIf(toInt64(round((cost - floor(cost)) * 1099511627776)), NOT superseded) AS offered_admitted_fractions,
        toInt128(0) AS offered_refused_whole, toInt64(0) AS offered_refused_fractions,
        sumIf(toInt128(floor(cost)), true) AS served_whole, sumIf(toInt64(round((cost - floor(cost)) * 1099511627776)), true) AS served_fractions,
        toInt128(0) AS late_whole, toInt64(0) AS late_fractions,
        toInt128(0) AS late_after_whole, toInt64(0) AS late_after_fractions,
        sumIf(toInt128(floor(k * toFloat64(greatest(e - p, 1)))), true) AS busy_ms_whole, sumIf(toInt64(round((k * toFloat64(greatest(e - p, 1)) - floor(k * toFloat64(greatest(e - p, 1)))) * 1099511627776)), true) AS busy_ms_fractions,
        maxIf(cost, k > 0) AS step_largest_cost,
        toUInt64(0) AS step_waiting,
        toUInt64(0) AS step_open,
        min(k) AS step_smallest,
        max(k) AS step_largest
    FROM (SELECT tenant, a, p, e, k, superseded, assumeNotNull(c) AS cost FROM {rows:Identifier} WHERE kind = 1 AND p >= a AND a >= {from_ms:Int64}
        AND intDiv(a, {window_ms:Int64}) = intDiv(p + greatest(e - p, 1) - 1, {window_ms:Int64}))
    GROUP BY step, tenant
    UNION ALL
    SELECT
        step,
        tenant,
        sumIf(toInt128(floor(ideal_to_end)) - toInt128(floor(ideal_to_start)), is_admitted) AS offered_admitted_whole, sumIf(toInt64(round((ideal_to_end - floor(ideal_to_end)) * 1099511627776)) - toInt64(round((ideal_to_start - floor(ideal_to_start)) * 1099511627776)), is_admitted) AS offered_admitted_fractions,
        sumIf(toInt128(floor(ideal_to_end)) - toInt128(floor(ideal_to_start)), is_refused) AS offered_refused_whole, sumIf(toInt64(round((ideal_to_end - floor(ideal_to_end)) * 1099511627776)) - toInt64(round((ideal_to_start - floor(ideal_to_start)) * 1099511627776)), is_refused) AS offered_refused_fractions,
        sumIf(toInt128(floor(real_to_end)) - toInt128(floor(real_to_start)), has_service) AS served_whole, sumIf(toInt64(round((real_to_end - floor(real_to_end)) * 1099511627776)) - toInt64(round((real_to_start - floor(real_to_start)) * 1099511627776)), has_service) AS served_fractions,
        sumIf(toInt128(floor(late_at_start)), is_admitted) AS late_whole, sumIf(toInt64(round((late_at_start - floor(late_at_start)) * 1099511627776)), is_admitted) AS late_fractions,
        sumIf(toInt128(floor(late_at_end)), is_admitted) AS late_after_whole, sumIf(toInt64(round((late_at_end - floor(late_at_end)) * 1099511627776)), is_admitted) AS late_after_fractions,
        sumIf(toInt128(floor(busy)), has_service) AS busy_ms_whole, sumIf(toInt64(round((busy - floor(busy)) * 1099511627776)), has_service) AS busy_ms_fractions,
        maxIf(cost, busy > 0) AS step_largest_cost,
        countIf(waits_at_end) AS step_waiting,
        countIf(kind IN (2, 3)) AS step_open,
        min(k) AS step_smallest,
        max(k) AS step_largest
    FROM (
        SELECT
            step, tenant, kind, k, e, cost, is_admitted, is_refused, has_service,
            cost * greatest(0., least(toFloat64(t0 - a), S)) / S AS ideal_to_start,
            cost * greatest(0., least(toFloat64(t1 - a), S)) / S AS ideal_to_end,
            if(has_service, cost * greatest(0., least(toFloat64(t0 - p), S)) / S, 0.) AS real_to_start,
            if(has_service, cost * greatest(0., least(toFloat64(t1 - p), S)) / S, 0.) AS real_to_end,
            greatest(0., ideal_to_start - real_to_start) AS late_at_start,
            greatest(0., ideal_to_end - real_to_end) AS late_at_end,
            if(has_service, k * (greatest(0., least(toFloat64(t1 - p), S)) - greatest(0., least(toFloat64(t0 - p), S))), 0.) AS busy,
            a < t1 AND ((has_service AND p >= t1) OR kind = 3 OR (kind = 4 AND e >= t1)) AS waits_at_end
        FROM (
    SELECT
        tenant, kind, k, superseded, assumeNotNull(c) AS cost, a, p, e, S,
        kind IN (1, 2, 8) AS has_service,
        kind IN (1, 2, 3, 8) AND NOT superseded AS is_admitted,
        kind IN (4, 6, 7) AND NOT superseded AS is_refused,
        arrayJoin(range(
            greatest(intDiv(if(has_service, least(a, p), a), {window_ms:Int64}), intDiv({from_ms:Int64}, {window_ms:Int64})),
            least(
                intDiv(ends_ms - 1, {window_ms:Int64}),
                intDiv({to_ms:Int64} - 1, {window_ms:Int64})
            ) + 1
        )) AS step,
        step * {window_ms:Int64} AS t0,
        t0 + {window_ms:Int64} AS t1
    FROM (
        SELECT
            *,
            multiIf(
                kind IN (1, 2, 8), greatest(a, p) + whole_service_ms,
                kind = 3, greatest(a + whole_service_ms, {to_ms:Int64}),
                kind = 4, greatest(a + whole_service_ms, e),
                a + whole_service_ms
            ) AS ends_ms
        FROM (SELECT
            *,
            greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
            multiIf(
                kind = 1, toFloat64(greatest(e - p, 1)),
                kind = 2, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
                mean
            ) AS S,
            toInt64(ceil(S)) AS whole_service_ms
        FROM {rows:Identifier}
        WHERE kind != 5 AND NOT (kind = 1 AND p >= a AND a >= {from_ms:Int64}
        AND intDiv(a, {window_ms:Int64}) = intDiv(p + greatest(e - p, 1) - 1, {window_ms:Int64})))
    ))
    )
    GROUP BY step, tenant
)
GROUP BY step, tenant
ORDER BY step, tenant
