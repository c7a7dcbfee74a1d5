import { type Static, Type } from 'typebox';
import type { PoolSeries } from './window/series-result.ts';
import { type PoolWindows, WindowSchema } from './window/window-result.ts';

/** One pool as the overview shows it. */
export const PoolSummarySchema = Type.Object({
  pool: Type.String(),
  cost_unit: Type.String(),
  /** The newest stored window without its tenants, or null when none is computed yet. */
  latest: Type.Union([Type.Omit(WindowSchema, ['tenants']), Type.Null()]),
  /** Arrival of the newest stored request, epoch ms; null when the pool holds none. */
  newest_arrival_ms: Type.Union([Type.Integer(), Type.Null()]),
  /** Everything before it is computed, epoch ms; null when nothing is. */
  computed_to_ms: Type.Union([Type.Integer(), Type.Null()]),
});
export type PoolSummary = Static<typeof PoolSummarySchema>;

export interface WindowsQuery {
  readonly pool: string;
  /** `[fromMs, toMs)`, epoch ms; windows that start inside it are returned in time order. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Window length; stored windows of other lengths are not mixed in. */
  readonly windowMs: number;
  /** false: `tenants` of every window is empty (for charts that need the pool's figures only). */
  readonly withTenants: boolean;
}

/** The read door of analytics: pages, reports and commands read through it and nothing else. */
export interface FairnessReader {
  pools(): Promise<readonly PoolSummary[]>;
  windows(query: WindowsQuery): Promise<PoolWindows>;
  /** The lines of a range: per window at most K tenants, and the rest. Windows without lines are absent. */
  tenantSeries(query: Omit<WindowsQuery, 'withTenants'>): Promise<PoolSeries>;
  /** Weights of the groups that the pool's policy names at a moment (epoch ms); empty where no policy holds. */
  groupWeights(pool: string, atMs: number): Promise<ReadonlyMap<string, number>>;
  /** Dead letters by reason code since `sinceMs`. */
  deadLetters(sinceMs: number): Promise<Readonly<Record<string, number>>>;
}
