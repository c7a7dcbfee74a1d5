SELECT intDiv(start_ms, 3600000) * 3600000 AS hour_ms, toString(sum(cityHash64(start_ms, computation))) AS fingerprint
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
GROUP BY hour_ms
ORDER BY hour_ms
