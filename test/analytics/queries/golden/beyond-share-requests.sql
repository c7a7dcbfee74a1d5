SELECT intDiv(a, {window_ms:Int64}) AS step, tenant, count() AS requests
FROM (SELECT rows.*, beyond_to_ms > a AS is_beyond
    FROM (SELECT * FROM {rows:Identifier} WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64} AND tenant IN (SELECT tenant FROM beyond_share)) AS rows
    ASOF LEFT JOIN beyond_share ON rows.tenant = beyond_share.tenant AND rows.a >= beyond_share.beyond_from_ms)
WHERE is_beyond
GROUP BY step, tenant
ORDER BY step, tenant
