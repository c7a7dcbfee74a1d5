import { type Cell, type Store, tsvArray, tsvMap, tsvRow } from '../../analytics/storage/index.ts';
import { bucketOf } from '../../analytics/window/wait-histogram.ts';
import { type Random, seededRandom } from '../../scheduler-core/index.ts';

/** A tenant of a stored window; `waitsMs` are its samples. */
export interface MinuteTenant {
  readonly tenant: string;
  readonly verdict: string;
  readonly inShare: boolean | null;
  readonly arrived: number | null;
  readonly demand: number | null;
  readonly fairShare: number | null;
  readonly served: number | null;
  readonly quotaRefused: number;
  readonly normalizedShare: number | null;
  readonly requests: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly waitsMs: readonly number[];
  readonly p99Ms: number | null;
}

/** A stored window as the rollups' tests make one. */
export interface Minute {
  readonly startMs: number;
  readonly computation: number;
  readonly state: 'final' | 'provisional';
  readonly verdict: string;
  readonly costUnit: string;
  readonly capacity: number | null;
  readonly jain: number | null;
  readonly overServed: readonly string[];
  readonly inShareSamples: number;
  readonly inShareOverThreshold: number;
  readonly tenants: readonly MinuteTenant[];
}

export const THRESHOLD_MS = 500;

const NAMES = ['a', "it's", '🦊 中文', '\uff21', '__other__', '\\N'];

/** Costs whose sums in floating point hang on the order: large, tiny, and no finite binary fraction. */
function randomCost(random: Random): number {
  const kind = random.next();
  if (kind < 0.2) return Math.floor(random.next() * 10);
  if (kind < 0.4) return random.next() * 1e12;
  if (kind < 0.6) return random.next() * 1e-6;
  return random.next() * 300;
}

export function randomMinute(random: Random, startMs: number, computation: number): Minute {
  const maybe = <Value>(value: Value): Value | null => (random.next() < 0.15 ? null : value);
  const tenants = NAMES.filter(() => random.next() < 0.5).map((tenant): MinuteTenant => {
    const waitsMs = Array.from({ length: Math.floor(random.next() * 6) }, () =>
      Math.floor(2 ** (random.next() * 24) - 1),
    );
    return {
      tenant,
      verdict: ['fair', 'short', 'capped', 'over', 'idle', 'unknown'][Math.floor(random.next() * 6)] ?? 'fair',
      inShare: maybe(random.next() < 0.7),
      arrived: maybe(randomCost(random)),
      demand: maybe(randomCost(random)),
      fairShare: maybe(randomCost(random)),
      served: maybe(randomCost(random)),
      quotaRefused: randomCost(random),
      normalizedShare: maybe(Math.round(random.next() * 20) / 10),
      requests: Math.floor(random.next() * 100),
      rejected: random.next() < 0.5 ? {} : { queue_full: 1 + Math.floor(random.next() * 9), 'a\'b"c': 2 },
      waitsMs,
      p99Ms: waitsMs.length === 0 ? null : Math.max(...waitsMs),
    };
  });
  return {
    startMs,
    computation,
    state: random.next() < 0.8 ? 'final' : 'provisional',
    verdict: ['fair', 'unfair', 'uncontended', 'unknown'][Math.floor(random.next() * 4)] ?? 'fair',
    costUnit: random.next() < 0.9 ? 'requests' : 'tokens',
    capacity: maybe(randomCost(random)),
    jain: maybe(Math.round(random.next() * 10) / 10),
    overServed: random.next() < 0.3 ? ['a'] : [],
    inShareSamples: Math.floor(random.next() * 10),
    inShareOverThreshold: Math.floor(random.next() * 4),
    tenants,
  };
}

export const randomFrom = (seed: number): Random => seededRandom(seed);

/** Stores windows as the job does: tenants, their waits, then the windows. */
export async function storeMinutes(
  store: Store,
  { pool, windowMs }: { readonly pool: string; readonly windowMs: number },
  minutes: readonly Minute[],
): Promise<void> {
  const place = (minute: Minute): Cell[] => [pool, windowMs, minute.startMs, minute.computation];
  const tenantCells: Record<string, (tenant: MinuteTenant) => Cell> = {
    tenant: (each) => each.tenant,
    weight: () => 1,
    verdict: (each) => each.verdict,
    in_share: (each) => each.inShare,
    arrived_cost: (each) => each.arrived,
    arrived_cost_raw: (each) => each.arrived,
    demand_cost: (each) => each.demand,
    fair_share_cost: (each) => each.fairShare,
    served_cost: (each) => each.served,
    quota_refused_cost: (each) => each.quotaRefused,
    normalized_share: (each) => each.normalizedShare,
    rejected: (each) => tsvMap(each.rejected),
    wait_p99_ms: (each) => each.p99Ms,
    wait_max_ms: (each) => each.p99Ms,
    wait_samples: (each) => each.waitsMs.length,
    requests: (each) => each.requests,
  };
  const windowCells: Record<string, (minute: Minute) => Cell> = {
    state: (each) => each.state,
    revision: () => 1,
    verdict: (each) => each.verdict,
    cost_unit: (each) => each.costUnit,
    capacity_cost: (each) => each.capacity,
    jain_index: (each) => each.jain,
    over_served_tenants: (each) => tsvArray(each.overServed),
    in_share_threshold_ms: () => THRESHOLD_MS,
    in_share_over_threshold: (each) => each.inShareOverThreshold,
    wait_samples: (each) => each.tenants.reduce((sum, { waitsMs }) => sum + waitsMs.length, 0),
    in_share_samples: (each) => each.inShareSamples,
  };
  const keys = ['pool', 'window_ms', 'start_ms', 'computation'];
  const rows: string[] = [];
  const waits: string[] = [];
  for (const minute of minutes) {
    for (const tenant of minute.tenants) {
      rows.push(tsvRow([...place(minute), ...Object.values(tenantCells).map((cell) => cell(tenant))]));
      if (tenant.waitsMs.length === 0) continue;
      waits.push(
        tsvRow([pool, windowMs, minute.computation, tenant.tenant, histogramCell(tenant.waitsMs), minute.startMs]),
      );
    }
  }
  await store.insert('jobs', 'tenant_windows', [...keys, ...Object.keys(tenantCells)], rows.join(''));
  await store.insert(
    'jobs',
    'wait_histograms',
    ['pool', 'window_ms', 'computation', 'tenant', 'waits', 'start_ms'],
    waits.join(''),
  );
  await store.insert(
    'jobs',
    'windows',
    [...keys, ...Object.keys(windowCells)],
    minutes
      .map((minute) => tsvRow([...place(minute), ...Object.values(windowCells).map((cell) => cell(minute))]))
      .join(''),
  );
}

function histogramCell(waitsMs: readonly number[]): Cell {
  const counts = new Map<number, number>();
  for (const ms of waitsMs) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return { nested: `{${[...counts].map(([bucket, count]) => `${bucket}:${count}`).join(',')}}` };
}
