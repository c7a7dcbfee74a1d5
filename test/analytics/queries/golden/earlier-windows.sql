SELECT start_ms, computation, mean_service_ms, work_per_busy_ms, saturated_served_cost, fluid_work_per_busy_ms
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {from_ms:Int64}
    AND (start_ms >= {from_ms:Int64} - 60 * {window_ms:Int64}
        OR start_ms + {window_ms:Int64} + ifNull(mean_service_ms, 0) > {from_ms:Int64}
        OR start_ms = (
            SELECT max(start_ms) FROM windows
            WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {from_ms:Int64}
        ))
ORDER BY start_ms
