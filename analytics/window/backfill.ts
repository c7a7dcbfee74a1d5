import { BACKFILL_COLUMNS, BACKFILLS, type BackfillRow } from '../queries/backfill-progress.ts';
import { type Lane, type Store, tsvRow } from '../storage/index.ts';
import { type AnalyzeRequest, type AnalyzeResult, planRange } from './analyze-range.ts';
import type { Span } from './bounds.ts';
import { computeRange } from './compute-range.ts';
import { rollUp } from './roll-up.ts';

/** A range of a pool of which only a part is computed. */
export type UnfinishedBackfill = BackfillRow;

/** The computations by hand that were cut off, one a pool at most. */
export async function readUnfinishedBackfills(store: Store, windowMs: number): Promise<UnfinishedBackfill[]> {
  const rows = await store.query('jobs', BACKFILLS, { window_ms: windowMs });
  return rows.filter((row) => !row.asked && row.doneToMs < row.toMs);
}

/** Makes the row the newest of its pool. */
export async function noteBackfill(
  store: Store,
  lane: Lane,
  row: BackfillRow & { readonly windowMs: number; readonly updatedAtMs: number },
): Promise<void> {
  const { pool, windowMs, fromMs, toMs, doneToMs, updatedAtMs, asked, windows, written, expired, failure } = row;
  const state = [pool, windowMs, fromMs, toMs, doneToMs, updatedAtMs, asked ? 1 : 0, failure ?? ''];
  await store.insert(lane, 'backfill_progress', BACKFILL_COLUMNS, tsvRow([...state, windows, written, expired]));
}

export interface BackfillRequest extends Pick<AnalyzeRequest, 'windowMs' | 'options' | 'onProgress' | 'signal'> {
  /** What to compute: from `doneToMs` on. */
  readonly row: Omit<BackfillRow, 'failure'>;
  /** As in `AnalyzeRequest`, asked for anew with every chunk. */
  readonly progress: () => Pick<AnalyzeRequest, 'watermarkMs' | 'closedToMs'>;
  readonly nowMs: () => number;
  /** Runs a piece of work when nothing else computes on the store. Default: at once. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Computes a range as `analyzeRange` does, adds up its hours, days and months, and notes how far it has come, so that one that is cut off, by whatever, can go on:
 * what was computed before a note is stored before the note is. A later one of the same pool takes its place. Returns the counts of
 * the whole range, with those of an earlier part.
 */
export async function backfill(store: Store, request: BackfillRequest): Promise<AnalyzeResult> {
  const { row, windowMs, signal, inTurn = (work) => work() } = request;
  const { pool, toMs } = row;
  const range = { pool, windowMs, options: request.options, fromMs: row.doneToMs, toMs };
  let { windows, written, expired, doneToMs } = row;
  const note = (): Promise<void> =>
    noteBackfill(store, 'jobs', {
      ...row,
      ...{ windowMs, doneToMs, windows, written, expired },
      failure: null,
      updatedAtMs: request.nowMs(),
    });
  const takeChunk = async (chunk: Span): Promise<void> => {
    signal?.throwIfAborted();
    const at = request.progress();
    const computed = await computeRange(store, { ...range, ...chunk, ...at, computation: request.nowMs() * 1000 });
    // Of what lies before the chunk's end all is as it will be: to add that up now leaves little for the end.
    const closedToMs = Math.min(at.closedToMs, chunk.toMs);
    await rollUp(store, { pool, windowMs, fromMs: doneToMs, toMs: chunk.toMs, closedToMs });
    signal?.throwIfAborted();
    windows += computed.windows;
    written += computed.written;
    expired += computed.expired;
    doneToMs = chunk.toMs;
    // The end is noted when the last period is added up.
    if (doneToMs < toMs) await note();
    request.onProgress?.(doneToMs - row.fromMs, toMs - row.fromMs);
  };
  const chunks = await inTurn(async () => {
    await note();
    return planRange(store, range);
  });
  for (const chunk of chunks) await inTurn(() => takeChunk(chunk));
  await inTurn(async () => {
    signal?.throwIfAborted();
    await rollUp(store, { pool, windowMs, fromMs: row.fromMs, toMs, closedToMs: request.progress().closedToMs });
    doneToMs = toMs;
    await note();
  });
  return { windows, written, expired };
}
