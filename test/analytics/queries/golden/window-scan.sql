SELECT
    count() AS row_count,
    countIf(c IS NULL) AS unpriced,
    countIf(linked) AS linked_count,
    countIf(disputed) AS disputed_count,
    minIf(a, c IS NULL) AS unpriced_from_ms,
    countIf(kind = 8 AND p >= {reach_ms:Int64}) AS lost_count,
    minIf(a, kind = 8 AND p >= {reach_ms:Int64}) AS lost_from_ms
FROM window_rows
