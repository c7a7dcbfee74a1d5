SELECT topic, partition, min(from_offset) AS first_offset, max(to_offset) AS next_offset,
    sum(if(nth > 1, greatest(0, from_offset - covered_to), 0)) AS missing_offsets,
    sum(messages) AS stored_messages, sum(events) AS stored_events, sum(letters) AS stored_letters
FROM (
    SELECT topic, partition, from_offset, to_offset, messages, events, letters,
        row_number() OVER earlier AS nth,
        max(to_offset) OVER (
            PARTITION BY topic, partition ORDER BY from_offset, to_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS covered_to
    FROM stream_progress FINAL
    WINDOW earlier AS (PARTITION BY topic, partition ORDER BY from_offset, to_offset)
)
GROUP BY topic, partition
ORDER BY topic, partition
