INSERT INTO repeated_keys SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_denormals = 1, join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1, use_skip_indexes_if_final_exact_mode = 1, transform_null_in = 0, load_balancing = 'in_order', prefer_localhost_replica = 0, distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, distributed_product_mode = 'global', skip_unavailable_shards = 0, optimize_skip_unused_shards = 0, distributed_group_by_no_merge = 0
SELECT cityHash64(request_id, attempt) AS row_key FROM requests WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({refused_from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {refused_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64} GROUP BY row_key HAVING count() > 1
