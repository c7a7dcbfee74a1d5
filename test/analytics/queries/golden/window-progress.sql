SELECT
    max(start_ms) + {window_ms:Int64} AS computed_to_ms,
    minIf(start_ms, state = 'provisional') AS provisional_from_ms,
    countIf(state = 'provisional') AS provisional
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
HAVING count() > 0
