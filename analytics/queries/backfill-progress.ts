import { defineQuery, type Parameters } from '../storage/index.ts';

export const BACKFILL_COLUMNS = [
  'pool',
  'window_ms',
  'from_ms',
  'to_ms',
  'done_to_ms',
  'updated_at_ms',
  'asked',
  'failure',
  'windows',
  'written',
  'expired',
] as const;

export interface BackfillRow {
  readonly pool: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Everything before it is computed. */
  readonly doneToMs: number;
  /** The jobs compute it; false: a command does, or did. */
  readonly asked: boolean;
  /** Of the part that is computed. */
  readonly windows: number;
  readonly written: number;
  readonly expired: number;
  /** Why it will not go on; null: nothing keeps it. */
  readonly failure: string | null;
}

/** The newest backfill of every pool, by pool. */
export const BACKFILLS = defineQuery<Parameters & { readonly window_ms: number }, BackfillRow>({
  name: 'backfills',
  sql: `SELECT pool, from_ms, to_ms, done_to_ms, asked, windows, written, expired, failure
FROM backfill_progress FINAL
WHERE window_ms = {window_ms:UInt64}
ORDER BY pool`,
  decode: (row) => ({
    pool: String(row.pool),
    fromMs: Number(row.from_ms),
    toMs: Number(row.to_ms),
    doneToMs: Number(row.done_to_ms),
    asked: Number(row.asked) === 1,
    windows: Number(row.windows),
    written: Number(row.written),
    expired: Number(row.expired),
    failure: row.failure === '' ? null : String(row.failure),
  }),
});
