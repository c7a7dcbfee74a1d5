import { EvenshareError } from '../../scheduler-core/index.ts';
import type { BackfillRow } from '../queries/backfill-progress.ts';
import type { Store } from '../storage/index.ts';
import type { AnalyzeResult } from './analyze-range.ts';
import { isPending, readAskedBackfills } from './asked-backfills.ts';
import { type BackfillRequest, backfill, noteBackfill } from './backfill.ts';
import type { PoolOptions } from './pool-model.ts';

export interface BackfillRunnerOptions {
  readonly windowMs: number;
  readonly poolOptions: (pool: string) => PoolOptions;
  readonly nowMs: () => number;
  /** Of a pool, as the minute job sees it; null: it has not looked yet. */
  readonly watermarkMs: (pool: string) => number | null;
  /** Runs a piece of work when nothing else computes on the store. */
  readonly inTurn: NonNullable<BackfillRequest['inTurn']>;
  readonly onDone: (pool: string, result: AnalyzeResult) => void;
  /** `willRetry`: it was not its own fault; told once for the tries that follow each other. */
  readonly onFailure: (pool: string, error: unknown, willRetry: boolean) => void;
}

export interface BackfillRunner {
  /** Does what the jobs were asked for, one range after another, until nothing is left or the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Between two tries of one that failed. */
const RETRY_AFTER_MS = 60_000;
/** So many tries without getting any further, and it has failed for good. */
const MAX_TRIES = 10;

interface Trouble {
  readonly doneToMs: number;
  readonly tries: number;
  readonly notBeforeMs: number;
}

/**
 * Computes the ranges that the jobs were asked for, a chunk a turn. One that fails leaves the others and the minute job alone: it is
 * tried again where that may help, else its failure is noted.
 */
export function createBackfillRunner(store: Store, options: BackfillRunnerOptions): BackfillRunner {
  const { windowMs, nowMs } = options;
  const troubles = new Map<string, Trouble>();

  const nextRow = async (): Promise<BackfillRow | undefined> =>
    (await readAskedBackfills(store, 'jobs', windowMs)).find(
      (row) => isPending(row) && (troubles.get(row.pool)?.notBeforeMs ?? 0) <= nowMs(),
    );

  const fail = async (row: BackfillRow, error: unknown): Promise<void> => {
    // The row as it is now: it may have come further.
    const current = (await readAskedBackfills(store, 'jobs', windowMs)).find(({ pool }) => pool === row.pool) ?? row;
    const failure = error instanceof Error ? error.message : String(error);
    await noteBackfill(store, 'jobs', { ...current, windowMs, failure, updatedAtMs: nowMs() });
    troubles.delete(row.pool);
  };

  const meet = async (row: BackfillRow, error: unknown): Promise<void> => {
    const earlier = troubles.get(row.pool);
    const isStuck = earlier !== undefined && earlier.doneToMs === row.doneToMs;
    const tries = isStuck ? earlier.tries + 1 : 1;
    troubles.set(row.pool, { doneToMs: row.doneToMs, tries, notBeforeMs: nowMs() + RETRY_AFTER_MS });
    const willRetry = error instanceof EvenshareError && error.retryable && tries < MAX_TRIES;
    if (!willRetry || tries === 1) options.onFailure(row.pool, error, willRetry);
    if (!willRetry) await options.inTurn(() => fail(row, error));
  };

  const runOne = async (row: BackfillRow, signal: AbortSignal): Promise<void> => {
    const result = await backfill(store, {
      row,
      windowMs,
      options: options.poolOptions(row.pool),
      nowMs,
      inTurn: options.inTurn,
      signal,
      progress: () => {
        // The range was closed when it was asked for, and a watermark never goes back.
        const watermarkMs = Math.max(row.toMs, options.watermarkMs(row.pool) ?? row.toMs);
        return { watermarkMs, closedToMs: watermarkMs };
      },
    });
    troubles.delete(row.pool);
    options.onDone(row.pool, result);
  };

  return {
    async run(signal) {
      for (let row = await nextRow(); row !== undefined && !signal.aborted; row = await nextRow()) {
        try {
          await runOne(row, signal);
        } catch (error) {
          if (signal.aborted) return;
          await meet(row, error);
        }
      }
    },
  };
}
