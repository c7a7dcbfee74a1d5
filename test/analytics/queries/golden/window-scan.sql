SELECT
    count() AS row_count,
    countIf(c IS NULL) AS unpriced,
    countIf(linked) AS linked_count,
    countIf(disputed) AS disputed_count,
    minIf(a, c IS NULL) AS unpriced_from_ms,
    countIf((kind IN (1, 2, 8) AND p > a) OR kind = 3 OR (kind = 4 AND e > a)) AS waited
FROM window_rows
