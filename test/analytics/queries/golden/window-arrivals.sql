SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    tenant,
    count() AS attempts,
    countIf(superseded) AS retries,
    toFloat64(sumIf(toInt128(floor(assumeNotNull(c))), kind != 5 AND NOT superseded)) + toFloat64(sumIf(toInt64(round((assumeNotNull(c) - floor(assumeNotNull(c))) * 1099511627776)), kind != 5 AND NOT superseded)) / 1099511627776 AS arrived_cost,
    toFloat64(sumIf(toInt128(floor(assumeNotNull(c))), kind != 5)) + toFloat64(sumIf(toInt64(round((assumeNotNull(c) - floor(assumeNotNull(c))) * 1099511627776)), kind != 5)) / 1099511627776 AS arrived_cost_raw,
    toFloat64(sumIf(toInt128(floor(assumeNotNull(c))), kind = 5)) + toFloat64(sumIf(toInt64(round((assumeNotNull(c) - floor(assumeNotNull(c))) * 1099511627776)), kind = 5)) / 1099511627776 AS quota_refused_cost,
    sumMapIf(map(refusal, toUInt64(1)), refusal NOT IN ('', 'gave_up')) AS rejected,
    countIf(refusal = 'gave_up') AS gave_up,
    countIf(kind IN (7, 8)) AS lost,
    countIf(skewed) AS skewed_count,
    argMinIf(weight, (a, id), weight IS NOT NULL) AS first_weight,
    uniqExact(weight) AS distinct_weights,
    quantilesExactIf(0.5, 0.95, 0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles,
    maxIf(assumeNotNull(wait), wait IS NOT NULL) AS wait_max,
    countIf(wait IS NOT NULL) AS wait_samples,
    max(provenance) AS wait_provenance
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
GROUP BY step, tenant
ORDER BY step, tenant
