SELECT w.start_ms AS window_start_ms, toString(w.computation) AS newest, t.tenants AS tenants
FROM (SELECT start_ms, computation FROM windows FINAL WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}) AS w
LEFT JOIN (
    SELECT start_ms, computation, count() AS tenants FROM tenant_windows WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} GROUP BY start_ms, computation
) AS t ON t.start_ms = w.start_ms AND t.computation = w.computation
ORDER BY window_start_ms
