SELECT tenant, at_ms, weight
FROM tenant_weights FINAL
WHERE pool = {pool:String}
ORDER BY tenant, at_ms
