import { rm } from 'node:fs/promises';
import { defineQuery, type Parameters, type Store } from '../../../analytics/storage/index.ts';
import { analyzeRange } from '../../../analytics/window/analyze-range.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../../../analytics/window/pool-model.ts';
import { createBatchWriter, DEFAULT_MAX_BATCH_EVENTS, DEFAULT_MAX_PENDING_EVENTS } from '../../../ingest/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { declareSlots } from '../../support/temporary-store.ts';
import { generateRequests, POOL, type Traffic } from '../ingest/generate-requests.ts';
import { openMigrated } from '../ingest/load-tasks.ts';
import { countRequests } from '../ingest/store-figures.ts';
import { type ProcessFigures, watchProcess } from '../process-figures.ts';
import { type StatementTimes, TimedStore } from './timed-store.ts';

export interface MinuteInput {
  readonly storePath: string;
  readonly requests: number;
  readonly historyRequests: number;
  readonly tenants: number;
  readonly runs: number;
}

/** How the rows lie when the window is computed. */
export interface MinuteState {
  readonly name: string;
  readonly rows: number;
  readonly parts: number;
  readonly computeMs: readonly number[];
  readonly baselineMs: readonly number[];
  readonly statements: readonly StatementTimes[];
  readonly tenants: number;
}

export interface MinuteFigures extends ProcessFigures {
  readonly states: readonly MinuteState[];
}

const WINDOW_FROM_MS = Date.UTC(2026, 2, 2, 10, 0, 0);
/** A little less than the minute needs, so that some tenants are beyond their share. */
const SLOTS = 9_500;
const OPTIONS: PoolOptions = { ...DEFAULT_POOL_OPTIONS, costUnit: 'tokens' };

/** A busy minute after a quieter hour: the minute's window computed beside a plain look at the same rows. */
export async function measureMinute(input: MinuteInput): Promise<MinuteFigures> {
  const store = await openMigrated(input.storePath);
  try {
    // Parts stay as they were inserted: what merges in the background do to a live minute is left to chance.
    await store.command('reads', 'SYSTEM STOP MERGES requests');
    await declareSlots(store, POOL, SLOTS);
    const base = { tenants: input.tenants, disorderMs: 3_000 };
    const hour = { fromMs: WINDOW_FROM_MS - HOUR_MS, spanMs: HOUR_MS };
    const minute = { fromMs: WINDOW_FROM_MS, spanMs: MINUTE_MS };
    await ingest(store, { ...base, seed: 2, requests: input.historyRequests, ...hour });
    await ingest(store, { ...base, seed: 3, requests: input.requests, ...minute });
    await computeHistory(store);
    const figures = watchProcess();
    const asIngested = await measureState(store, { name: 'as ingested', runs: input.runs, firstComputation: 2 });
    await store.command('reads', 'SYSTEM START MERGES requests');
    await store.command('reads', 'OPTIMIZE TABLE requests FINAL');
    const merged = await measureState(store, { name: 'merged', runs: input.runs, firstComputation: 1_000 });
    return { states: [asIngested, merged], ...figures() };
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

/** As the intake does: an insert for every so many requests. */
async function ingest(store: Store, traffic: Traffic): Promise<void> {
  const writer = createBatchWriter(store, {
    nowMs: Date.now,
    maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
    maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
  });
  let decisions = [];
  for (const event of generateRequests(traffic)) {
    decisions.push(event);
    if (decisions.length < DEFAULT_MAX_BATCH_EVENTS) continue;
    await writer.submit({ decisions, pools: [], coverage: [], letters: [] });
    decisions = [];
  }
  if (decisions.length > 0) await writer.submit({ decisions, pools: [], coverage: [], letters: [] });
}

/** The windows before, as a job that has been running would have stored them. */
async function computeHistory(store: Store): Promise<void> {
  await analyzeRange(store, {
    pool: POOL,
    windowMs: MINUTE_MS,
    fromMs: WINDOW_FROM_MS - HOUR_MS,
    toMs: WINDOW_FROM_MS,
    watermarkMs: WINDOW_FROM_MS + MINUTE_MS,
    closedToMs: WINDOW_FROM_MS + MINUTE_MS,
    options: OPTIONS,
    computation: 1,
  });
}

async function measureState(
  store: Store,
  state: { readonly name: string; readonly runs: number; readonly firstComputation: number },
): Promise<MinuteState> {
  const timed = new TimedStore(store);
  const computeMs: number[] = [];
  const baselineMs: number[] = [];
  let tenants = 0;
  // The first pair only warms up.
  for (let run = 0; run <= state.runs; run++) {
    timed.startRun();
    const computed = await timeMs(() => computeWindow(timed, state.firstComputation + run));
    const baseline = await timeMs(async () => {
      tenants = (await store.query('jobs', BASELINE, BASELINE_PARAMS)).length;
    });
    if (run === 0) timed.forget();
    else {
      computeMs.push(computed);
      baselineMs.push(baseline);
    }
  }
  const { requests, parts } = await countRequests(store);
  return { name: state.name, rows: requests, parts, tenants, computeMs, baselineMs, statements: timed.statements };
}

/** Each computation asks for another threshold, so that its result is a new one and all of it is written. */
async function computeWindow(store: Store, computation: number): Promise<void> {
  const { written } = await computeRange(store, {
    pool: POOL,
    windowMs: MINUTE_MS,
    fromMs: WINDOW_FROM_MS,
    toMs: WINDOW_FROM_MS + MINUTE_MS,
    watermarkMs: WINDOW_FROM_MS + MINUTE_MS,
    closedToMs: WINDOW_FROM_MS + MINUTE_MS,
    options: { ...OPTIONS, waitThresholdMs: OPTIONS.waitThresholdMs + computation },
    computation,
  });
  if (written !== 1) throw new Error('the window was to be written');
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

const BASELINE_PARAMS = { pool: POOL, from_ms: WINDOW_FROM_MS, to_ms: WINDOW_FROM_MS + MINUTE_MS };

/** A plain look per tenant at the rows of the window: those that arrived in it, and those before it that end in it. */
const BASELINE = defineQuery<Parameters & typeof BASELINE_PARAMS, unknown>({
  name: 'bench-baseline',
  sql: `SELECT tenant, count(), sum(input_tokens), quantileExact(0.99)(dispatched_at_ms - arrived_at_ms)
FROM requests FINAL
WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({from_ms:Int64}, 60000) * 60 - 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND (arrived_at_ms >= {from_ms:Int64} OR completed_at_ms >= {from_ms:Int64})
GROUP BY tenant`,
  decode: (row) => row.tenant,
});
