SELECT * EXCEPT (computation, state_tenants, state_by, state_stay_windows) FROM tenant_series FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY start_ms, is_rest DESC, member
