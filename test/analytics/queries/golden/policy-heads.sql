SELECT
    pool, at_ms, name, digest, applied_at_ms, JSONLength(body, 'tenants') AS tenants, JSONLength(body, 'groups') AS groups
FROM pool_policies FINAL
WHERE {pool:String} = '' OR pool = {pool:String}
ORDER BY pool, at_ms
