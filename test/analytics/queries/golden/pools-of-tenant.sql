SELECT DISTINCT pool
FROM tenant_windows
PREWHERE tenant = {tenant:String}
WHERE window_ms = {window_ms:UInt64} AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY pool
