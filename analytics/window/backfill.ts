import { BACKFILL_COLUMNS, type BackfillRow, UNFINISHED_BACKFILLS } from '../queries/backfill-progress.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import { type AnalyzeRequest, type AnalyzeResult, analyzeRange } from './analyze-range.ts';
import { rollUp } from './roll-up.ts';

/** A range of a pool of which only a part is computed. */
export type UnfinishedBackfill = BackfillRow;

/** The computations by hand that were cut off, one a pool at most. */
export function readUnfinishedBackfills(store: Store, windowMs: number): Promise<UnfinishedBackfill[]> {
  return store.query('jobs', UNFINISHED_BACKFILLS, { window_ms: windowMs });
}

/**
 * Computes a range as `analyzeRange` does, adds up its hours, days and months, and notes how far it has come, so that one that is cut off, by whatever, can go on:
 * what was computed before a note is stored before the note is. A later one of the same pool takes its place.
 */
export async function backfill(
  store: Store,
  request: AnalyzeRequest & {
    /** Where the whole range begins: before `fromMs` for one that goes on. */
    readonly startedFromMs: number;
    readonly nowMs: () => number;
  },
): Promise<AnalyzeResult> {
  const { pool, windowMs, toMs } = request;
  const note = (doneToMs: number): Promise<void> =>
    store.insert(
      'jobs',
      'backfill_progress',
      BACKFILL_COLUMNS,
      tsvRow([pool, windowMs, request.startedFromMs, toMs, doneToMs, request.nowMs()]),
    );
  await note(request.fromMs);
  const result = await analyzeRange(store, { ...request, onChunk: note });
  await rollUp(store, { pool, windowMs, fromMs: request.startedFromMs, toMs, closedToMs: request.closedToMs });
  await note(toMs);
  return result;
}
