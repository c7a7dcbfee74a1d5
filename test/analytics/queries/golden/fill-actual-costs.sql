INSERT INTO actual_costs SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0
SELECT tenant, arrived_at_ms, assumeNotNull(price) FROM (
    SELECT
        tenant,
        arrived_at_ms,
        multiIf(
            cost IS NOT NULL, cost,
            {cost_unit:String} = 'requests', 1.,
            {cost_unit:String} = 'service_ms',
                ifNull(slots, 1) * greatest(assumeNotNull(completed_at_ms) - assumeNotNull(dispatched_at_ms), 0),
            {cost_unit:String} = 'tokens' AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL),
                ifNull(input_tokens, 0) * {input_token_price:Float64}
                + ifNull(output_tokens, 0) * {output_token_price:Float64},
            NULL
        ) AS price
    FROM requests FINAL
    WHERE pool = {pool:String}
        AND minute >= toDateTime(intDiv({costs_from_ms:Int64}, 60000) * 60, 'UTC')
        AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
        AND arrived_at_ms >= {costs_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}
        AND ifNull(outcome, '') != 'rejected' AND dispatched_at_ms IS NOT NULL AND completed_at_ms IS NOT NULL
)
WHERE price IS NOT NULL
