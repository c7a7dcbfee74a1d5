SELECT start_ms, mean_service_ms
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {to_ms:Int64}
    AND start_ms >= (
        SELECT max(start_ms) FROM windows
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms <= {from_ms:Int64}
            AND mean_service_ms IS NOT NULL
    )
ORDER BY start_ms
