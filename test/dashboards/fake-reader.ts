import type { FairnessReader, WindowsQuery } from '../../dashboards/analytics-door.ts';
import type { PoolSummary, PoolWindows } from '../../dashboards/api-schema.ts';

/**
 * A reader that answers from memory. The reader is the unit seam of the server: what stands behind it has tests of its
 * own, and those of the running product put the real one in its place.
 */
export interface FakeReader extends FairnessReader {
  /** Pools by name; replace one to make its figures change. */
  readonly stored: Map<string, PoolWindows>;
  /** Every windows query, in order. */
  readonly queries: WindowsQuery[];
  deadLetterCounts: Readonly<Record<string, number>>;
  /** Thrown by every call while it is set. */
  failure: Error | null;
}

export function fakeReader(...pools: readonly PoolWindows[]): FakeReader {
  const reader: FakeReader = {
    stored: new Map(pools.map((pool) => [pool.pool, pool])),
    queries: [],
    deadLetterCounts: {},
    failure: null,
    async pools() {
      if (reader.failure) throw reader.failure;
      return [...reader.stored.values()].map(summaryOf);
    },
    async windows(query) {
      reader.queries.push(query);
      if (reader.failure) throw reader.failure;
      return answerTo(query, reader.stored.get(query.pool));
    },
    async groupWeights() {
      if (reader.failure) throw reader.failure;
      return new Map();
    },
    async tenantSeries(query) {
      if (reader.failure) throw reader.failure;
      return { pool: query.pool, windows: [] };
    },
    async deadLetters() {
      if (reader.failure) throw reader.failure;
      return reader.deadLetterCounts;
    },
  };
  return reader;
}

function summaryOf(pool: PoolWindows): PoolSummary {
  const newest = pool.windows.at(-1);
  if (newest === undefined) {
    return { pool: pool.pool, cost_unit: 'requests', latest: null, newest_arrival_ms: null, computed_to_ms: null };
  }
  const { tenants: _tenants, ...latest } = newest;
  const endMs = Date.parse(newest.end);
  return { pool: pool.pool, cost_unit: newest.cost_unit, latest, newest_arrival_ms: endMs, computed_to_ms: endMs };
}

const NO_EVENTS = { accepted: 0, duplicate: 0, conflict: 0, skewed: 0, late: 0, rejected: {} };

function answerTo(query: WindowsQuery, pool: PoolWindows | undefined): PoolWindows {
  if (pool === undefined) return { pool: query.pool, windows: [], quality: NO_EVENTS };
  const windows = pool.windows.filter((window) => {
    const startMs = Date.parse(window.start);
    return startMs >= query.fromMs && startMs < query.toMs;
  });
  return { ...pool, windows: query.withTenants ? windows : windows.map((window) => ({ ...window, tenants: [] })) };
}
