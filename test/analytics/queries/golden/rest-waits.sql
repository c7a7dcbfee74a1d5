SELECT start_ms, sumMap(waits) AS merged
FROM wait_histograms FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms IN (SELECT arrayJoin({starts:Array(Int64)}))
    AND (start_ms, computation) IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({starts:Array(Int64)}, {computations:Array(UInt64)})) AS pair)
    )
    AND (start_ms, tenant) NOT IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({shown_starts:Array(Int64)}, {shown_tenants:Array(String)})) AS pair)
    )
GROUP BY start_ms
ORDER BY start_ms
