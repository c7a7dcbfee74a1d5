CREATE MATERIALIZED VIEW IF NOT EXISTS request_spans_view ON CLUSTER 'fleet-1' TO request_spans_local AS
SELECT
    pool,
    toDateTime(intDiv(arrived_at_ms, 3600000) * 3600, 'UTC') AS hour,
    min(arrived_at_ms) AS first_arrival_ms,
    max(arrived_at_ms) AS last_arrival_ms,
    max(greatest(
        arrived_at_ms,
        ifNull(dispatched_at_ms, 0) + 1,
        ifNull(completed_at_ms, 0),
        arrived_at_ms + ifNull(completed_at_ms, arrived_at_ms) - ifNull(dispatched_at_ms, arrived_at_ms)
    )) AS latest_end_ms
FROM requests_local
GROUP BY pool, hour
