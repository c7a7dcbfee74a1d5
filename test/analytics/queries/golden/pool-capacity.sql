SELECT at_ms, slots, capacity_per_s
FROM pool_capacity FINAL
WHERE pool = {pool:String}
ORDER BY at_ms, source
