import { rm } from 'node:fs/promises';
import { analyzeRange } from '../../../analytics/window/analyze-range.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { HOUR_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { declareSlots } from '../../support/temporary-store.ts';
import { openMigrated } from '../ingest/load-tasks.ts';
import { type ProcessFigures, watchProcess } from '../process-figures.ts';
import { insertTraffic } from './sql-traffic.ts';
import { type StatementTimes, TimedStore } from './timed-store.ts';

const POOL = 'llm-a';
const FROM_MS = Date.UTC(2026, 2, 2, 10, 0, 0);
const OPTIONS = { ...DEFAULT_POOL_OPTIONS, costUnit: 'tokens' as const };
/** A little less than the traffic needs, so that some tenants are beyond their share. */
const SLOTS_PER_REQUEST_PER_S = 0.95;

export interface WindowInput {
  readonly storePath: string;
  readonly requests: number;
  readonly tenants: number;
  /** Requests of other hours that are stored too. */
  readonly historyRequests: number;
  readonly runs: number;
}

export interface WindowFigures extends ProcessFigures {
  readonly computeMs: readonly number[];
  readonly statements: readonly StatementTimes[];
}

/** One busy minute in a store that may hold much else; everything merged, so that only its size differs. */
export async function measureWindow(input: WindowInput): Promise<WindowFigures> {
  const store = await openMigrated(input.storePath);
  try {
    await declareSlots(store, POOL, Math.max(1, Math.round((input.requests / 60) * SLOTS_PER_REQUEST_PER_S)));
    const common = { pool: POOL, tenants: input.tenants };
    if (input.historyRequests > 0) {
      const spanMs = 30 * 24 * HOUR_MS;
      const fromMs = FROM_MS - HOUR_MS - spanMs;
      await insertTraffic(store, { ...common, requests: input.historyRequests, fromMs, spanMs, salt: 7 });
    }
    await insertTraffic(store, { ...common, requests: input.requests, fromMs: FROM_MS, spanMs: MINUTE_MS, salt: 1 });
    await store.command('reads', 'OPTIMIZE TABLE requests FINAL');
    const figures = watchProcess();
    const timed = new TimedStore(store);
    const computeMs: number[] = [];
    // The first only warms up.
    for (let run = 0; run <= input.runs; run++) {
      timed.startRun();
      const startMs = performance.now();
      const { written } = await computeRange(timed, {
        pool: POOL,
        windowMs: MINUTE_MS,
        fromMs: FROM_MS,
        toMs: FROM_MS + MINUTE_MS,
        watermarkMs: FROM_MS + MINUTE_MS,
        closedToMs: FROM_MS + MINUTE_MS,
        options: { ...OPTIONS, waitThresholdMs: OPTIONS.waitThresholdMs + run },
        computation: run + 1,
      });
      if (written !== 1) throw new Error('the window was to be written');
      if (run > 0) computeMs.push(performance.now() - startMs);
      else timed.forget();
    }
    return { computeMs, statements: timed.statements, ...figures() };
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

export interface BackfillInput {
  readonly storePath: string;
  readonly windows: number;
  readonly requests: number;
  readonly tenants: number;
}

export interface BackfillFigures extends ProcessFigures {
  readonly togetherMs: number;
  readonly oneByOneMs: number;
  /** Windows of which the second way had to compute a part only, for the sake of time. */
  readonly oneByOneWindows: number;
}

const MAX_ONE_BY_ONE = 60;

/** A range of windows by the command's way, many a statement, and one after the other. */
export async function measureBackfill(input: BackfillInput): Promise<BackfillFigures> {
  const store = await openMigrated(input.storePath);
  try {
    const spanMs = input.windows * MINUTE_MS;
    const perS = input.requests / (spanMs / 1000);
    await declareSlots(store, POOL, Math.max(1, Math.round(perS * SLOTS_PER_REQUEST_PER_S)));
    const { requests, tenants } = input;
    await insertTraffic(store, { pool: POOL, tenants, requests, fromMs: FROM_MS, spanMs, salt: 1 });
    await store.command('reads', 'OPTIMIZE TABLE requests FINAL');
    const range = {
      pool: POOL,
      windowMs: MINUTE_MS,
      watermarkMs: FROM_MS + spanMs,
      closedToMs: Number.POSITIVE_INFINITY,
      options: OPTIONS,
    };
    const figures = watchProcess();
    const togetherMs = await timeMs(() =>
      analyzeRange(store, { ...range, fromMs: FROM_MS, toMs: FROM_MS + spanMs, computation: 1 }),
    );
    const peak = figures();
    const oneByOneWindows = Math.min(input.windows, MAX_ONE_BY_ONE);
    const oneByOneMs = await timeMs(async () => {
      for (let window = 0; window < oneByOneWindows; window++) {
        const fromMs = FROM_MS + window * MINUTE_MS;
        const options = { ...OPTIONS, waitThresholdMs: 501 };
        await computeRange(store, { ...range, options, fromMs, toMs: fromMs + MINUTE_MS, computation: 2 });
      }
    });
    return { togetherMs, oneByOneMs, oneByOneWindows, ...peak };
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
