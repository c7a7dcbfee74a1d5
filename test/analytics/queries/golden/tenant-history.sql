SELECT
    w.start_ms AS start_ms, w.state AS state, w.revision AS revision, w.verdict AS window_verdict,
    w.verdict_reasons AS verdict_reasons, w.cost_unit AS cost_unit, w.capacity_basis AS capacity_basis,
    w.coverage_ratio AS coverage_ratio, w.in_share_threshold_ms AS threshold_ms, w.conflicts AS conflicts,
    w.policy_changed AS policy_changed, w.other_causes AS other_causes,
    arrayCount(name -> name != {tenant:String}, w.over_served_tenants) AS others_over_served,
    t.*
FROM (
    SELECT * FROM windows FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
) AS w
LEFT JOIN (
    SELECT
        start_ms AS tenant_start_ms, computation AS tenant_computation, 1 AS is_present,
        verdict AS tenant_verdict, weight, arrived_cost, demand_cost AS tenant_demand_cost, fair_share_cost,
        served_cost AS tenant_served_cost, normalized_share, lag_cost, quota_refused_cost, requests AS tenant_requests,
        retries, rejected, gave_up, lost AS tenant_lost, skewed AS tenant_skewed, wait_p99_ms AS tenant_wait_p99_ms,
        wait_max_ms AS tenant_wait_max_ms, wait_samples AS tenant_wait_samples
    FROM tenant_windows FINAL
    PREWHERE tenant = {tenant:String}
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
) AS t ON t.tenant_start_ms = w.start_ms AND t.tenant_computation = w.computation
ORDER BY start_ms
