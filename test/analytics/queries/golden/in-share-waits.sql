SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS requests,
    countIf(wait IS NOT NULL) AS samples,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    quantilesExactIf(0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles,
    countIf(kind = 3) AS still_waiting
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
    AND intDiv(a, {window_ms:Int64}) IN (SELECT arrayJoin({over_share_windows:Array(Int64)}))
    AND (intDiv(a, {window_ms:Int64}), tenant) NOT IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({over_share_windows:Array(Int64)}, {over_share_tenants:Array(String)})) AS pair)
    )
GROUP BY step
ORDER BY step
