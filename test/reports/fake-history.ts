import type { PoolProgress, TenantFigures, TenantHistoryReader, TenantHistoryWindow } from '../../analytics/index.ts';
import type { Random } from '../../scheduler-core/kernel/index.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What one tenant did in one window, with everything ordinary but what is given. */
export function figures(given: Partial<TenantFigures> = {}): TenantFigures {
  return {
    verdict: 'fair',
    weight: 1,
    arrivedCost: 10,
    demandCost: 10,
    fairShareCost: 10,
    servedCost: 10,
    normalizedShare: 1,
    lagCost: 0,
    quotaRefusedCost: 0,
    requests: 10,
    retries: 0,
    rejected: {},
    gaveUp: 0,
    lost: 0,
    skewed: 0,
    waitP99Ms: 20,
    waitMaxMs: 25,
    waitSamples: 120,
    ...given,
  };
}

/** A final window of a pool; `tenant` null where the tenant is not in it. */
export function historyWindow(
  startMs: number,
  tenant: TenantFigures | null,
  given: Partial<TenantHistoryWindow> = {},
): TenantHistoryWindow {
  return {
    startMs,
    state: 'final',
    revision: 1,
    verdict: tenant?.verdict === 'short' ? 'unfair' : 'uncontended',
    verdictReasons: [],
    costUnit: 'requests',
    capacityBasis: 'measured',
    coverageRatio: null,
    thresholdMs: 500,
    conflicts: 0,
    policyChanged: false,
    othersOverServed: 0,
    otherCauses: [],
    tenant,
    ...given,
  };
}

/** Windows of one tenant by pool. */
export type History = ReadonlyMap<string, readonly TenantHistoryWindow[]>;

export interface FakeHistoryReader extends TenantHistoryReader {
  /** Histories by tenant; change them to make the store change. */
  readonly stored: Map<string, History>;
  hoursNotComputed: number;
}

/** A reader that answers from memory, in pages of an hour. */
export function fakeHistory(...tenants: readonly (readonly [tenant: string, history: History])[]): FakeHistoryReader {
  const within = (windows: readonly TenantHistoryWindow[], range: { fromMs: number; toMs: number }) =>
    windows.filter((window) => window.startMs >= range.fromMs && window.startMs < range.toMs);
  const reader: FakeHistoryReader = {
    windowMs: MINUTE_MS,
    stored: new Map(tenants),
    hoursNotComputed: 0,
    async tenants(range) {
      const found = [...reader.stored].map(([tenant, history]): [string, string[]] => [
        tenant,
        poolsIn(history, range),
      ]);
      return new Map(found.filter(([, pools]) => pools.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    poolsOf: async (tenant, range) => poolsIn(reader.stored.get(tenant) ?? new Map(), range),
    async known(tenant) {
      const starts = [...(reader.stored.get(tenant) ?? new Map()).values()].flat().map((window) => window.startMs);
      const span = starts.length === 0 ? null : { firstMs: Math.min(...starts), lastMs: Math.max(...starts) };
      return { tenantsInStore: reader.stored.size, span };
    },
    async progress() {
      const ends = new Map<string, number>();
      for (const history of reader.stored.values()) {
        for (const [pool, windows] of history) {
          ends.set(pool, Math.max(ends.get(pool) ?? 0, ...windows.map((window) => window.startMs + MINUTE_MS)));
        }
      }
      return [...ends].sort().map(
        ([pool, endMs]): PoolProgress => ({
          pool,
          computedToMs: endMs,
          watermarkMs: endMs + 5_000,
          hoursNotComputed: reader.hoursNotComputed,
        }),
      );
    },
    async *windows(pool, tenant, range) {
      for (let fromMs = range.fromMs; fromMs < range.toMs; fromMs += HOUR_MS) {
        const page = { fromMs, toMs: Math.min(fromMs + HOUR_MS, range.toMs) };
        const rows = within(reader.stored.get(tenant)?.get(pool) ?? [], page);
        if (rows.length > 0) yield rows;
      }
    },
  };
  return reader;

  function poolsIn(history: History, range: { fromMs: number; toMs: number }): string[] {
    return [...history]
      .filter(([, windows]) => within(windows, range).some((each) => each.tenant))
      .map(([pool]) => pool);
  }
}

const VERDICTS = ['fair', 'short', 'over', 'capped', 'idle', 'unknown'] as const;
const REASONS = ['queue_full', 'quota', 'wait_budget', 'made_up'];

/** Windows in time order of a tenant that does everything that can be stored, with gaps. */
export function randomHistory(
  random: Random,
  span: { fromMs: number; toMs: number; windows: number },
): TenantHistoryWindow[] {
  const between = (low: number, high: number): number => low + Math.floor(random.next() * (high - low + 1));
  const maybe = <Value>(probability: number, value: Value): Value | null =>
    random.next() < probability ? value : null;
  const pick = <Value>(values: readonly Value[]): Value =>
    values[between(0, values.length - 1)] ?? (values[0] as Value); // seam: never empty
  const starts = new Set<number>();
  const minutes = (span.toMs - span.fromMs) / MINUTE_MS;
  let minute = between(0, Math.max(0, Math.floor(minutes / 2)));
  while (starts.size < span.windows && minute < minutes) {
    starts.add(span.fromMs + minute * MINUTE_MS);
    minute += random.next() < 0.8 ? 1 : between(1, Math.max(1, Math.floor(minutes / span.windows)));
  }
  return [...starts].map((startMs) => {
    if (random.next() < 0.1) return historyWindow(startMs, null);
    const verdict = pick(VERDICTS);
    const isUnknown = verdict === 'unknown';
    const demandCost = verdict === 'idle' ? 0 : random.next() * 1e4;
    const fairShareCost = isUnknown ? null : demandCost * (0.2 + 0.8 * random.next());
    const servedCost = isUnknown && random.next() < 0.5 ? null : random.next() * 1e4;
    const samples = pick([0, 3, 250]);
    const p99 = samples === 0 ? null : random.next() * 3_000;
    const tenant = figures({
      verdict,
      weight: pick([1, 1, 1, 2]),
      arrivedCost: demandCost,
      demandCost,
      fairShareCost,
      servedCost,
      normalizedShare:
        fairShareCost === null || fairShareCost === 0 || servedCost === null ? null : servedCost / fairShareCost,
      lagCost: isUnknown ? null : random.next() * 100,
      quotaRefusedCost: maybe(0.2, random.next()) ?? 0,
      requests: between(0, 500),
      retries: between(0, 5),
      rejected: Object.fromEntries(REASONS.filter(() => random.next() < 0.3).map((reason) => [reason, between(1, 50)])),
      gaveUp: between(0, 2),
      lost: between(0, 1),
      waitP99Ms: p99,
      waitMaxMs: p99 === null ? null : p99 * 1.1,
      waitSamples: samples,
    });
    return historyWindow(startMs, tenant, {
      state: random.next() < 0.02 ? 'provisional' : 'final',
      revision: pick([1, 1, 1, 2]),
      ...(isUnknown ? { verdict: 'unknown', verdictReasons: ['no_capacity'] } : {}),
      othersOverServed: verdict === 'short' ? between(0, 2) : 0,
      otherCauses: verdict === 'short' ? pick([[], ['idle_slots'], ['carried_over']]) : [],
      thresholdMs: pick([500, 500, 800]),
      conflicts: between(0, 1),
    });
  });
}
