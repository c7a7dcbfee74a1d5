SELECT newest_code, count() AS letters, countIf(is_stored) AS stored
FROM (
    SELECT
        letter_id, received_at_ms, source, position, format, raw_bytes,
        letters.code AS came_code,
        if(refusals > 0, refused.1, letters.code) AS newest_code,
        if(refusals > 0, refused.2, letters.detail) AS newest_detail,
        retries, last_retry_ms, is_stored
    FROM (
        SELECT letter_id, received_at_ms, source, position, format, raw_bytes, code, detail
        FROM dead_letters FINAL
        SETTINGS do_not_merge_across_partitions_select_final = 0
    ) AS letters
    LEFT JOIN (
        SELECT
            letter_id,
            uniqExact(retried_at_ms) AS retries,
            max(retried_at_ms) AS last_retry_ms,
            max(outcome = 'stored') AS is_stored,
            countIf(outcome = 'refused') AS refusals,
            argMaxIf((toString(code), detail), retried_at_ms, outcome = 'refused') AS refused
        FROM dead_letter_retries
        GROUP BY letter_id
    ) AS retried USING letter_id
)
WHERE received_at_ms >= {from_ms:Int64} AND received_at_ms < {to_ms:Int64}
    AND letter_id >= {id_from:UInt64} AND letter_id <= {id_to:UInt64}
    AND startsWith(source, {source:String})
    AND ({code:String} = '' OR newest_code = {code:String})
    AND ({with_stored:Bool} OR NOT is_stored)
GROUP BY newest_code
ORDER BY newest_code
