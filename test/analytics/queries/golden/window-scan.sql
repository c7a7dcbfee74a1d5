SELECT
    count() AS row_count,
    countIf(c IS NULL) AS unpriced,
    countIf(linked) AS linked_count,
    countIf(disputed) AS disputed_count,
    minIf(a, c IS NULL) AS unpriced_from_ms
FROM window_rows
