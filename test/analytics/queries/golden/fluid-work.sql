SELECT
    tenant,
    groupArray((
        toFloat64(a - {from_ms:Int64}),
        toFloat64(p - {from_ms:Int64}),
        S,
        assumeNotNull(c),
        k,
        toUInt8(
            if(kind IN (1, 2, 3, 8) AND NOT superseded, 1, 0)
            + if(kind IN (4, 6, 7) AND NOT superseded, 2, 0)
            + if(kind IN (1, 2, 8), 4, 0)
        )
    )) AS requests
FROM (SELECT
            *,
            greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
            multiIf(
                kind = 1, toFloat64(greatest(e - p, 1)),
                kind = 2, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
                mean
            ) AS S,
            toInt64(ceil(S)) AS whole_service_ms
        FROM {rows:Identifier}
        WHERE kind != 5 AND true)
GROUP BY tenant
ORDER BY tenant
