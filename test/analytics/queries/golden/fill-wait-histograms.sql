INSERT INTO wait_histograms (pool, window_ms, start_ms, computation, tenant, waits) SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0
SELECT
    {pool:String},
    {window_ms:UInt64},
    step * {window_ms:Int64},
    {computation:UInt64},
    tenant,
    mapFromArrays(
        arrayCompact(buckets),
        arrayMap(count -> toUInt64(count), arrayPopFront(arrayDifference(arrayPushFront(ends, 0))))
    )
FROM (
    SELECT
        step, tenant, buckets,
        arrayFilter(
            (place, bucket, next) -> bucket != next,
            arrayEnumerate(buckets), buckets, arrayPushBack(arrayPopFront(buckets), -1)
        ) AS ends
    FROM (
        SELECT
            intDiv(a, {window_ms:Int64}) AS step,
            tenant,
            arraySort(groupArray(if(assumeNotNull(wait) <= 0, toInt16(0), toInt16(1 + 50 * (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023) + intDiv((greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1) - bitShiftLeft(toInt64(1), (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023))) * 50, bitShiftLeft(toInt64(1), (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023))))))) AS buckets
        FROM {rows:Identifier}
        WHERE wait IS NOT NULL AND a >= {from_ms:Int64} AND a < {to_ms:Int64}
            AND step IN (SELECT arrayJoin({written:Array(Int64)}))
        GROUP BY step, tenant
    )
)
