INSERT INTO window_rows SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0, optimize_and_compare_chain = 0, query_plan_lift_up_union = 0, max_insert_threads = 4
SELECT tenant, a, p, e, kind, k, c, c_actual, wait, provenance, tenant_absent, skewed, refusal, weight, id, original, linked, attempt, repeated_key, linked_request_id, original_id, disputed, superseded FROM (
    SELECT 
    tenant,
    arrived_at_ms AS a,
    ifNull(dispatched_at_ms, 0) AS dispatched,
    ifNull(completed_at_ms, 0) AS completed,
    -- Where clocks say that service began before arrival, it counts from the arrival on, as long as it lasted.
    if(dispatched_at_ms IS NULL, 0, greatest(dispatched, a)) AS p,
    if(dispatched_at_ms IS NULL OR completed_at_ms IS NULL, completed, p + completed - dispatched) AS e,
    multiIf(
        ifNull(outcome, '') = 'rejected' AND ifNull(reason, '') = 'quota', 5,
        ifNull(outcome, '') = 'rejected', 4,
        dispatched_at_ms IS NULL AND ifNull(wait_provenance, '') = 'absent', 6,
        dispatched_at_ms IS NULL AND completed_at_ms IS NOT NULL, 4,
        dispatched_at_ms IS NULL AND {watermark_ms:Int64} - arrived_at_ms > {max_request_age_ms:Int64}, 7,
        dispatched_at_ms IS NULL, 3,
        completed_at_ms IS NULL AND {watermark_ms:Int64} - arrived_at_ms > {max_request_age_ms:Int64}, 8,
        completed_at_ms IS NULL, 2,
        1
    ) AS kind,
    ifNull(slots, 1) AS k,
    multiIf(
        {cost_unit:String} = 'requests', 1.,
        {cost_unit:String} = 'service_ms' AND kind = 1, k * greatest(e - p, 0),
        {cost_unit:String} = 'tokens' AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL),
            ifNull(input_tokens, 0) * {input_token_price:Float64} + ifNull(output_tokens, 0) * {output_token_price:Float64},
        NULL
    ) AS derived_cost,
    if(kind = 1, coalesce(cost, derived_cost, cost_estimate), coalesce(cost, cost_estimate, derived_cost)) AS c,
    if(kind = 1, coalesce(cost, derived_cost), NULL) AS c_actual,
    (kind IN (1, 2, 8) AND dispatched < a) OR (kind = 1 AND completed < dispatched)
        OR (kind = 4 AND completed > 0 AND completed < a) AS skewed,
    multiIf(
        skewed OR ifNull(wait_provenance, '') = 'absent', NULL,
        kind IN (1, 2, 8), p - a,
        kind = 3, greatest({watermark_ms:Int64} - a, 0),
        kind = 7, {max_request_age_ms:Int64},
        kind = 4 AND e > a, e - a,
        kind = 4 AND ifNull(outcome, '') != 'rejected' AND e = a, 0,
        NULL
    ) AS wait,
    multiIf(
        kind IN (4, 5) AND wait IS NULL AND NOT skewed, 0,
        skewed, 4,
        ifNull(wait_provenance, '') = 'absent', 5,
        ifNull(wait_provenance, '') = 'censored', 3,
        ifNull(wait_provenance, '') = 'bounded', 2,
        ifNull(wait_provenance, '') = 'derived', 1,
        0
    ) AS provenance,
    ifNull(tenant_provenance, '') = 'absent' AS tenant_absent,
    if(kind IN (4, 5), multiIf(ifNull(outcome, '') != 'rejected', 'gave_up', ifNull(reason, 'other')), '') AS refusal,
    weight,
    cityHash64(tenant, request_id, attempt, arrived_at_ms) AS id,
    cityHash64(ifNull(original_request_id, request_id), if(original_request_id IS NULL, attempt, 1)) AS original,
    original_request_id IS NOT NULL AS linked,
    attempt,
    row_key AS repeated_key,
    if(original_request_id IS NULL, '', request_id) AS linked_request_id,
    ifNull(original_request_id, '') AS original_id,
    deliveries > 1 AS disputed,
    0 AS superseded FROM (
        SELECT tenant, request_id, attempt, arrived_at_ms, outcome, reason, dispatched_at_ms, completed_at_ms, cost_estimate, cost, input_tokens, output_tokens, slots, original_request_id, weight, tenant_provenance, wait_provenance, deliveries, cityHash64(request_id, attempt) AS row_key FROM requests FINAL
    PREWHERE cityHash64(request_id, attempt) IN (SELECT repeated_key FROM repeated_keys)
    WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({refused_from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {refused_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}
    )
)
