SELECT tenant, ideal_backlog_cost, fluid_ideal_backlog_cost, fluid_due_backlog_cost
FROM (
    SELECT tenant, ideal_backlog_cost, fluid_ideal_backlog_cost, fluid_due_backlog_cost
    FROM tenant_windows FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms = {from_ms:Int64}
        AND computation = {computation:UInt64}
        AND (ideal_backlog_cost > 0 OR fluid_ideal_backlog_cost > 0 OR fluid_due_backlog_cost > 0)
    UNION ALL
    SELECT absent.1, 0., 0., absent.2
    FROM (
        SELECT arrayJoin(arrayZip(mapKeys(absent_due_backlogs), mapValues(absent_due_backlogs))) AS absent
        FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms = {from_ms:Int64}
            AND computation = {computation:UInt64}
    )
)
ORDER BY tenant
