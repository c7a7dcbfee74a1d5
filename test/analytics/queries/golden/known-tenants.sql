SELECT
    uniqExact(tenant) AS tenants,
    countIf(tenant = {tenant:String}) AS known_windows,
    minIf(start_ms, tenant = {tenant:String}) AS first_ms,
    maxIf(start_ms, tenant = {tenant:String}) AS last_ms
FROM tenant_windows
WHERE window_ms = {window_ms:UInt64}
