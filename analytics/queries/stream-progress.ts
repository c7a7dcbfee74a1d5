import { defineQuery, type Parameters } from '../storage/index.ts';

/** What is stored of one partition, over the batches of the last 30 days. */
export interface StreamProgressRow {
  readonly topic: string;
  readonly partition: number;
  /** The first offset that a batch covered, and the one after the last. */
  readonly fromOffset: number;
  readonly toOffset: number;
  /** Offsets in between that no batch covered: messages that were passed over, by a mistake or by hand. */
  readonly missingOffsets: number;
  /** Messages stored; one that was delivered again to another batch counts again. */
  readonly messages: number;
  readonly events: number;
  readonly letters: number;
}

/** Per partition what batches cover, and what they leave out. */
export const STREAM_PROGRESS = defineQuery<Parameters, StreamProgressRow>({
  name: 'stream-progress',
  sql: `SELECT topic, partition, min(from_offset) AS first_offset, max(to_offset) AS next_offset,
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
ORDER BY topic, partition`,
  decode: (row) => ({
    topic: String(row.topic),
    partition: Number(row.partition),
    fromOffset: Number(row.first_offset),
    toOffset: Number(row.next_offset),
    missingOffsets: Number(row.missing_offsets),
    messages: Number(row.stored_messages),
    events: Number(row.stored_events),
    letters: Number(row.stored_letters),
  }),
});
