SELECT at_ms, name, digest, body, applied_at_ms
FROM pool_policies FINAL
PREWHERE pool = {pool:String} AND at_ms < greatest({to_ms:Int64}, {from_ms:Int64} + 1)
    AND at_ms >= (
        SELECT ifNull(maxOrNull(at_ms), {from_ms:Int64})
        FROM pool_policies
        WHERE pool = {pool:String} AND at_ms <= {from_ms:Int64}
    )
ORDER BY at_ms
