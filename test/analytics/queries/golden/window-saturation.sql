SELECT
    intDiv(moment, {window_ms:Int64}) AS step,
    toFloat64(sumIf(toInt128(floor((free * length))), waiting > 0 AND free >= smallest)) + toFloat64(sumIf(toInt64(round(((free * length) - floor((free * length))) * 1099511627776)), waiting > 0 AND free >= smallest)) / 1099511627776 AS idle_while_waiting_ms,
    sum(if(waiting > 0, length, 0)) AS waiting_ms,
    quantileExactWeightedIf(0.05)(free, toUInt64(length), waiting > 0 AND length > 0) AS steadily_idle_slots
FROM (
    SELECT
        moment,
        intDiv(moment, {window_ms:Int64}) - intDiv({from_ms:Int64}, {window_ms:Int64}) + 1 AS place,
        {slots:Array(Float64)}[place] - toFloat64(busy) / 1073741824 AS free,
        {smallest:Array(Float64)}[place] AS smallest,
        sum(waiting_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS waiting,
        sum(busy_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS busy,
        leadInFrame(moment, 1, {to_ms:Int64}) OVER (ORDER BY moment ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) - moment AS length
    FROM (
        SELECT moment, sum(waits_more) AS waiting_change, sum(holds_more) AS busy_change
        FROM (
            SELECT waits_from AS moment, waits AS waits_more, toInt64(0) AS holds_more FROM (
            SELECT
                least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS turn,
                least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS holds_to,
                toInt64(turn > waits_from) AS waits,
                if(kind IN (1, 2) AND holds_to > turn, toInt64(round(least(k, 4294967296.) * 1073741824)), 0) AS holds
            FROM {rows:Identifier}
            WHERE kind != 5)
            UNION ALL
            SELECT turn, -waits, holds FROM (
            SELECT
                least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS turn,
                least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS holds_to,
                toInt64(turn > waits_from) AS waits,
                if(kind IN (1, 2) AND holds_to > turn, toInt64(round(least(k, 4294967296.) * 1073741824)), 0) AS holds
            FROM {rows:Identifier}
            WHERE kind != 5)
            UNION ALL
            SELECT holds_to, toInt64(0), -holds FROM (
            SELECT
                least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS turn,
                least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS holds_to,
                toInt64(turn > waits_from) AS waits,
                if(kind IN (1, 2) AND holds_to > turn, toInt64(round(least(k, 4294967296.) * 1073741824)), 0) AS holds
            FROM {rows:Identifier}
            WHERE kind != 5)
            UNION ALL
            SELECT arrayJoin(range({from_ms:Int64}, {to_ms:Int64}, {window_ms:Int64})), toInt64(0), toInt64(0)
        )
        GROUP BY moment
    )
)
WHERE moment < {to_ms:Int64}
GROUP BY step
ORDER BY step
