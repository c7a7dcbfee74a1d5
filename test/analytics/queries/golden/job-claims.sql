SELECT holder, term, renewal
FROM (
    SELECT holder, term, renewal, renewed_at_ms FROM job_leases FINAL
    WHERE is_released = 0
    ORDER BY renewed_at_ms DESC, holder
    LIMIT 1000
)
ORDER BY term, holder
