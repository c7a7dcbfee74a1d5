SELECT letter_id, raw_base64
FROM dead_letters
WHERE source IN {sources:Array(String)}
    AND position >= {position_from:Int64} AND position <= {position_to:Int64}
    AND letter_id IN {ids:Array(UInt64)}
ORDER BY letter_id
LIMIT 1 BY letter_id
