INSERT INTO completed_rows SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0
WITH
    unpriced AS (SELECT id, tenant, intDiv(a, {window_ms:Int64}) AS step FROM window_rows WHERE c IS NULL),
    tenant_medians AS (
        SELECT id, quantileExact(0.5)(prices.price) AS median
        FROM unpriced INNER JOIN (
            SELECT tenant, intDiv(price_at_ms, {window_ms:Int64}) AS price_step, price FROM actual_costs
        ) AS prices ON unpriced.tenant = prices.tenant
        WHERE price_step <= step AND price_step > step - 60
        GROUP BY id
    ),
    pool_medians AS (
        SELECT step, quantileExact(0.5)(price) AS median
        FROM (SELECT DISTINCT step FROM unpriced WHERE id NOT IN (SELECT id FROM tenant_medians)) AS steps
        CROSS JOIN (SELECT intDiv(price_at_ms, {window_ms:Int64}) AS price_step, price FROM actual_costs) AS prices
        WHERE price_step <= step AND price_step > step - 60
        GROUP BY step
    ),
    ranked AS (
        SELECT id, row_number() OVER (
            PARTITION BY tenant, intDiv(a, {window_ms:Int64}), original
            ORDER BY a DESC, attempt DESC, linked DESC, linked_request_id DESC
        ) AS place
        FROM window_rows
        WHERE original IN (SELECT original FROM window_rows WHERE linked)
    )
SELECT window_rows.* REPLACE (
    coalesce(window_rows.c, t.tenant_median, p.pool_median, 1.) AS c,
    window_rows.id IN (SELECT id FROM ranked WHERE place > 1) AS superseded
)
FROM window_rows
LEFT JOIN (SELECT id AS unpriced_id, toNullable(median) AS tenant_median FROM tenant_medians) AS t
    ON t.unpriced_id = window_rows.id
LEFT JOIN (SELECT step AS median_step, toNullable(median) AS pool_median FROM pool_medians) AS p
    ON p.median_step = intDiv(window_rows.a, {window_ms:Int64})
