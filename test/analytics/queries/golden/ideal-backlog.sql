SELECT tenant, ideal_backlog_cost, fluid_ideal_backlog_cost, fluid_due_backlog_cost
FROM tenant_windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms = {from_ms:Int64}
    AND computation = {computation:UInt64} AND (ideal_backlog_cost > 0 OR fluid_ideal_backlog_cost > 0 OR fluid_due_backlog_cost > 0)
ORDER BY tenant
