SELECT DISTINCT pool, tenant
FROM tenant_windows
WHERE window_ms = {window_ms:UInt64} AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY pool, tenant
