SELECT
    tenant,
    groupArray(toFloat64(a - {from_ms:Int64})),
    groupArray(toFloat64(turn - {from_ms:Int64})),
    groupArray(S),
    groupArray(assumeNotNull(c)),
    groupArray(k),
    groupArray(toUInt8(kind + if(superseded, 16, 0)))
FROM (
    SELECT
        tenant, a, c, k, kind, superseded,
        multiIf(
            kind IN (1, 2, 8), p,
            kind = 3, greatest(a, {to_ms:Int64}),
            kind = 4, greatest(a, e),
            a
        ) AS turn,
        greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
        multiIf(
            kind = 1, toFloat64(greatest(e - p, 1)),
            kind = 2, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
            mean
        ) AS S
    FROM {rows:Identifier}
    WHERE kind != 5
)
GROUP BY tenant
ORDER BY tenant
