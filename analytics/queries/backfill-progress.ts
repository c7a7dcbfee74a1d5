import { defineQuery, type Parameters } from '../storage/index.ts';

export const BACKFILL_COLUMNS = ['pool', 'window_ms', 'from_ms', 'to_ms', 'done_to_ms', 'updated_at_ms'] as const;

export interface BackfillRow {
  readonly pool: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Everything before it is computed. */
  readonly doneToMs: number;
}

/** The computations by hand that were cut off, by pool. */
export const UNFINISHED_BACKFILLS = defineQuery<Parameters & { readonly window_ms: number }, BackfillRow>({
  name: 'unfinished-backfills',
  sql: `SELECT pool, from_ms, to_ms, done_to_ms
FROM backfill_progress FINAL
WHERE window_ms = {window_ms:UInt64} AND done_to_ms < to_ms
ORDER BY pool`,
  decode: (row) => ({
    pool: String(row.pool),
    fromMs: Number(row.from_ms),
    toMs: Number(row.to_ms),
    doneToMs: Number(row.done_to_ms),
  }),
});
