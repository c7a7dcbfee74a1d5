SELECT source
FROM pool_policies FINAL
PREWHERE pool = {pool:String} AND at_ms = {at_ms:Int64}
