SELECT
    intDiv(moment, {window_ms:Int64}) AS step,
    sum(if(waiting > 0 AND free >= smallest, free * length, 0.)) AS idle_while_waiting_ms,
    sum(if(waiting > 0, length, 0)) AS waiting_ms
FROM (
    SELECT
        moment,
        intDiv(moment, {window_ms:Int64}) - intDiv({from_ms:Int64}, {window_ms:Int64}) + 1 AS place,
        {slots:Array(Float64)}[place] - busy AS free,
        {smallest:Array(Float64)}[place] AS smallest,
        sum(waiting_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS waiting,
        sum(busy_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS busy,
        leadInFrame(moment, 1, {to_ms:Int64}) OVER (ORDER BY moment ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) - moment AS length
    FROM (
        SELECT change.1 AS moment, sum(change.2) AS waiting_change, sum(change.3) AS busy_change
        FROM (
            SELECT arrayJoin([
                (waits_from, toInt64(waits_to > waits_from), 0.),
                (waits_to, -toInt64(waits_to > waits_from), 0.),
                (busy_from, toInt64(0), if(busy_to > busy_from, k, 0.)),
                (busy_to, toInt64(0), -if(busy_to > busy_from, k, 0.))
            ]) AS change
            FROM (
                SELECT
                    k,
                    least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                    least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS waits_to,
                    least(greatest(if(kind IN (1, 2, 8), p, a), {from_ms:Int64}), {to_ms:Int64}) AS busy_from,
                    least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS busy_to
                FROM {rows:Identifier}
                WHERE kind != 5
            )
            UNION ALL
            SELECT (arrayJoin(range({from_ms:Int64}, {to_ms:Int64}, {window_ms:Int64})), toInt64(0), 0.) AS change
        )
        GROUP BY moment
    )
)
WHERE moment < {to_ms:Int64}
GROUP BY step
ORDER BY step
