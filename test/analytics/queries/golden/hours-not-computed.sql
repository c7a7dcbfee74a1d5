SELECT spans.pool AS pool, count() AS hours
FROM (
    SELECT pool, hour, min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms
    FROM request_spans
    WHERE hour >= toDateTime(intDiv({from_ms:Int64}, 3600000) * 3600, 'UTC')
        AND hour < toDateTime(intDiv({to_ms:Int64} + 3599999, 3600000) * 3600, 'UTC')
    GROUP BY pool, hour
) AS spans
WHERE (
        first_ms >= {from_ms:Int64} AND first_ms < {to_ms:Int64}
        AND (pool, intDiv(first_ms, {window_ms:Int64})) NOT IN (
            SELECT pool, intDiv(start_ms, {window_ms:Int64}) FROM windows
            WHERE window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64} AND start_ms < {to_ms:Int64}
        )
    ) OR (
        last_ms >= {from_ms:Int64} AND last_ms < {to_ms:Int64}
        AND (pool, intDiv(last_ms, {window_ms:Int64})) NOT IN (
            SELECT pool, intDiv(start_ms, {window_ms:Int64}) FROM windows
            WHERE window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64} AND start_ms < {to_ms:Int64}
        )
    )
GROUP BY pool
ORDER BY pool
