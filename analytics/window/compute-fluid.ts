import {
  BEYOND_SHARE_COLUMNS,
  BEYOND_SHARE_REQUESTS,
  CREATE_BEYOND_SHARE,
  FLUID_IN_SHARE,
  type FluidInShareRow,
} from '../queries/fluid-in-share.ts';
import type { SpansParams } from '../queries/request-spans.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import { type BeyondShare, decideFluid, type FluidState, type FluidWindow, fluidStepMs } from './decide-fluid.ts';
import type { DecidedWindow, PoolFacts } from './decide-windows.ts';
import type { NamedFluidWork } from './range-work.ts';

/** The fluid model of a range, by the number of a window. */
export interface ComputedFluid {
  readonly windows: ReadonlyMap<number, FluidWindow>;
  /** Requests of tenants within their share; null: every one of the window's is. */
  readonly inShare: (window: number) => FluidInShareRow | null;
  /** Per tenant the requests that arrived while it was beyond its share. */
  readonly beyondShareRequests: (window: number) => ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Runs the fluid model over the rows of a range that the job has read: ClickHouse adds up, the recursion is the core's. */
export async function computeFluid(
  store: Store,
  range: {
    readonly facts: PoolFacts;
    readonly windows: readonly DecidedWindow[];
    readonly spans: SpansParams;
    readonly named: NamedFluidWork;
    readonly before: FluidState;
  },
): Promise<ComputedFluid> {
  const { facts, windows, spans, named } = range;
  const stepMs = fluidStepMs(facts.windowMs);
  const decided = decideFluid(facts, { fromMs: spans.from_ms, stepMs, windows, named }, range.before);
  const judged = await judgeArrivals(store, spans, decided.beyondShare, facts.options.waitThresholdMs);
  return { windows: decided.windows, ...judged };
}

async function judgeArrivals(
  store: Store,
  spans: SpansParams,
  beyondShare: readonly BeyondShare[],
  thresholdMs: number,
): Promise<Pick<ComputedFluid, 'inShare' | 'beyondShareRequests'>> {
  if (beyondShare.length === 0) return { inShare: () => null, beyondShareRequests: () => NONE };
  const { rows, window_ms, from_ms, to_ms } = spans;
  const arrivals = { rows, window_ms, from_ms, to_ms };
  await store.command('jobs', CREATE_BEYOND_SHARE);
  const runs = beyondShare.map((run) => tsvRow([run.tenant, run.fromMs, run.toMs]));
  await store.insert('jobs', 'beyond_share', BEYOND_SHARE_COLUMNS, runs.join(''));
  const inShare = await store.query('jobs', FLUID_IN_SHARE, { ...arrivals, threshold_ms: thresholdMs });
  const requests = await store.query('jobs', BEYOND_SHARE_REQUESTS, arrivals);
  const byWindow = new Map(inShare.map((row) => [row.window, row]));
  const beyond = new Map<number, Map<string, number>>();
  for (const row of requests) {
    const known = beyond.get(row.window);
    if (known === undefined) beyond.set(row.window, new Map([[row.tenant, row.requests]]));
    else known.set(row.tenant, row.requests);
  }
  return {
    inShare: (window) => byWindow.get(window) ?? { window, requests: 0, samples: 0, overThreshold: 0, p99WaitMs: null },
    beyondShareRequests: (window) => beyond.get(window) ?? NONE,
  };
}
