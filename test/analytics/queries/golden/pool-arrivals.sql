SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS attempts,
    countIf(repeated_key != 0) - uniqExactIf(repeated_key, repeated_key != 0) AS identity_conflicts,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    countIf(kind = 3) AS still_waiting,
    countIf(provenance = 5) AS waits_absent,
    countIf(tenant_absent) AS tenants_absent,
    countIf(kind IN (1, 2, 8)) AS dispatched,
    countIf(kind IN (1, 2, 8) AND p - a <= 1) AS dispatched_at_once,
    sumIf(cityHash64(tenant, if(assumeNotNull(wait) <= 0, toInt16(0), toInt16(1 + 50 * (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023) + intDiv((greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1) - bitShiftLeft(toInt64(1), (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023))) * 50, bitShiftLeft(toInt64(1), (bitShiftRight(reinterpretAsInt64(toFloat64(greatest(least(toInt64(assumeNotNull(wait)), 1099511627776), 1))), 52) - 1023)))))), wait IS NOT NULL) AS waits_check,
    quantilesExactIf(0.5, 0.95, 0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles,
    maxIf(assumeNotNull(wait), wait IS NOT NULL) AS wait_max,
    countIf(wait IS NOT NULL) AS wait_samples,
    max(provenance) AS wait_provenance
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
GROUP BY step
ORDER BY step
