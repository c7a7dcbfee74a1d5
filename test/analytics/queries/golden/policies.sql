SELECT at_ms, name, digest, body, applied_at_ms
FROM pool_policies FINAL
WHERE pool = {pool:String}
ORDER BY at_ms
