SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS requests,
    countIf(wait IS NOT NULL) AS samples,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    quantilesExactIf(0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles
FROM (
    SELECT a, wait FROM {rows:Identifier} WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64} AND tenant NOT IN (SELECT tenant FROM beyond_share)
    UNION ALL
    SELECT a, wait FROM (SELECT rows.*, beyond_to_ms > a AS is_beyond
    FROM (SELECT * FROM {rows:Identifier} WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64} AND tenant IN (SELECT tenant FROM beyond_share)) AS rows
    ASOF LEFT JOIN beyond_share ON rows.tenant = beyond_share.tenant AND rows.a >= beyond_share.beyond_from_ms) WHERE NOT is_beyond
)
GROUP BY step
ORDER BY step
