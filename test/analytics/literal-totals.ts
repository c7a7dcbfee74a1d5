import type { PoolTotals, TenantTotals } from '../../analytics/window/range-totals.ts';
import { bucketOf } from '../../analytics/window/wait-histogram.ts';
import { type Minute, type MinuteTenant, THRESHOLD_MS } from './stored-minutes.ts';

// The totals of a range as plain sums over its windows, one after another, costs in whole numbers of 2⁻⁴⁰.

type Shown<Totals> = { readonly [Key in keyof Totals]?: unknown };

const UNIT = 2n ** 40n;

/** A cost in 2⁻⁴⁰ths, halves to the even one, as the engine rounds. */
function exactly(cost: number): bigint {
  const whole = Math.floor(cost);
  const scaled = (cost - whole) * 2 ** 40;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return BigInt(whole) * UNIT + BigInt(below) + (up ? 1n : 0n);
}

function costTotal(costs: readonly (number | null)[]) {
  let exact = 0n;
  let windows = 0;
  for (const cost of costs) {
    if (cost === null) continue;
    exact += exactly(cost);
    windows++;
  }
  return { exact, cost: Number(exact) / 2 ** 40, windows };
}

interface Placed {
  readonly minute: Minute;
  readonly tenant: MinuteTenant;
}

function histogram(rows: readonly Placed[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const { tenant } of rows) {
    for (const ms of tenant.waitsMs) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function rejectedBy(rows: readonly Placed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { tenant } of rows) {
    for (const [reason, count] of Object.entries(tenant.rejected)) counts[reason] = (counts[reason] ?? 0) + count;
  }
  return counts;
}

function first(
  figures: readonly (readonly [number | null, number])[],
  isBetter: (a: number, b: number) => boolean,
): { value: number; startMs: number } | null {
  let best: { value: number; startMs: number } | null = null;
  for (const [value, startMs] of figures) {
    if (value !== null && (best === null || isBetter(value, best.value))) best = { value, startMs };
  }
  return best;
}

const less = (a: number, b: number): boolean => a < b;
const more = (a: number, b: number): boolean => a > b;

/** By a key in order; windows within it in time order. */
function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Of windows in time order. */
export function literalTenantTotals(minutes: readonly Minute[]): Shown<TenantTotals>[] {
  const rows = minutes.flatMap((minute) => minute.tenants.map((tenant) => ({ minute, tenant })));
  return grouped(rows, ({ minute, tenant }) => `${tenant.tenant}\0${minute.costUnit}`).map((of) => {
    const figures = (figure: (tenant: MinuteTenant) => number | null) => of.map(({ tenant }) => figure(tenant));
    const placed = (figure: (tenant: MinuteTenant) => number | null) =>
      of.map(({ tenant, minute }) => [figure(tenant), minute.startMs] as const);
    return {
      tenant: of[0]?.tenant.tenant,
      costUnit: of[0]?.minute.costUnit,
      windows: of.length,
      windowsFinal: of.filter(({ minute }) => minute.state === 'final').length,
      windowsInShare: of.filter(({ tenant }) => tenant.inShare === true).length,
      windowsUnder90Percent: of.filter(({ tenant }) => (tenant.normalizedShare ?? 1) < 0.9).length,
      verdicts: tally(of.map(({ tenant }) => tenant.verdict)),
      arrived: costTotal(figures((tenant) => tenant.arrived)),
      demand: costTotal(figures((tenant) => tenant.demand)),
      fairShare: costTotal(figures((tenant) => tenant.fairShare)),
      served: costTotal(figures((tenant) => tenant.served)),
      quotaRefused: costTotal(figures((tenant) => tenant.quotaRefused)),
      comparedServed: costTotal(figures((tenant) => (tenant.fairShare === null ? null : tenant.served))),
      requests: of.reduce((sum, { tenant }) => sum + tenant.requests, 0),
      rejected: rejectedBy(of),
      minNormalizedShare: first(
        placed((tenant) => tenant.normalizedShare),
        less,
      ),
      maxWindowP99: first(
        placed((tenant) => tenant.p99Ms),
        more,
      ),
      windowsP99OverThreshold: of.filter(({ tenant }) => (tenant.p99Ms ?? 0) > THRESHOLD_MS).length,
      waits: {
        samples: of.reduce((sum, { tenant }) => sum + tenant.waitsMs.length, 0),
        maxMs: first(
          placed((tenant) => tenant.p99Ms),
          more,
        ),
        histogram: new Map(histogram(of)),
        notInShare: new Map(histogram(of.filter(({ tenant }) => tenant.inShare !== true))),
      },
    };
  });
}

/** Of windows in time order. */
export function literalPoolTotals(minutes: readonly Minute[]): Shown<PoolTotals>[] {
  return grouped(minutes, (minute) => minute.costUnit).map((of) => {
    const rows = of.flatMap((minute) => minute.tenants.map((tenant) => ({ minute, tenant })));
    const over = of.filter((minute) => minute.overServed.length > 0).length;
    return {
      costUnit: of[0]?.costUnit,
      windows: of.length,
      windowsFinal: of.filter(({ state }) => state === 'final').length,
      verdicts: tally(of.map(({ verdict }) => verdict)),
      causes: over === 0 ? {} : { over_served: over },
      capacity: costTotal(of.map(({ capacity }) => capacity)),
      minJainIndex: first(
        of.map(({ jain, startMs }) => [jain, startMs]),
        less,
      ),
      inShare: {
        requests: 0,
        samples: of.reduce((sum, { inShareSamples }) => sum + inShareSamples, 0),
        overThreshold: of.reduce((sum, { inShareOverThreshold }) => sum + inShareOverThreshold, 0),
      },
      waits: {
        samples: rows.reduce((sum, { tenant }) => sum + tenant.waitsMs.length, 0),
        maxMs: null,
        histogram: new Map(histogram(rows)),
        notInShare: new Map(histogram(rows.filter(({ tenant }) => tenant.inShare !== true))),
      },
    };
  });
}
