SELECT DISTINCT period, start_ms, toString(fingerprint) AS fingerprint_text
FROM pool_rollups
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY period, start_ms, fingerprint_text
