import type { PoolWindows, TenantWindow, Window } from '../../dashboards/api-schema.ts';
import { type Random, seededRandom } from '../../scheduler-core/kernel/index.ts';

const MINUTE_MS = 60_000;
const CAPACITY_COST = 47_880;
const THRESHOLD_MS = 500;

export interface NoisyHourOptions {
  readonly pool?: string;
  readonly seed?: number;
  /** Start of the first window, epoch ms. */
  readonly fromMs: number;
  readonly minutes?: number;
  /** From this minute on the gateway shares fairly in bursts. */
  readonly fairFromMinute?: number;
  /** Minutes whose coverage was too low to judge. */
  readonly unknownMinutes?: readonly number[];
  /** Minutes with no traffic at all. */
  readonly silentMinutes?: readonly number[];
  /** Minutes that were never computed. */
  readonly missingMinutes?: readonly number[];
  /** Added to the tenants' names, for hostile ones. */
  readonly renames?: Readonly<Record<string, string>>;
}

/**
 * Figures of a pool with a noisy neighbour, for tests of what shows them: 25 tenants of which `heavy` floods the pool
 * for five minutes in every fifteen, served first come first served. Shares are exact, waits are made up.
 */
export function noisyHour(options: NoisyHourOptions): PoolWindows {
  const random = seededRandom(options.seed ?? 1);
  const windows: Window[] = [];
  const minutes = options.minutes ?? 60;
  for (let minute = 0; minute < minutes; minute += 1) {
    const window = windowOf(minute, options, random);
    if (!(options.missingMinutes ?? []).includes(minute)) windows.push(window);
  }
  const quality = { accepted: 61_240, duplicate: 12, conflict: 0, skewed: 3, late: 0, rejected: { time_unit: 1 } };
  return { pool: options.pool ?? 'llm-a', windows, quality };
}

interface Load {
  readonly tenant: string;
  readonly demandCost: number;
}

function windowOf(minute: number, options: NoisyHourOptions, random: Random): Window {
  const startMs = options.fromMs + minute * MINUTE_MS;
  const phase = minute % 15;
  const inBurst = phase >= 5 && phase < 10;
  const silent = (options.silentMinutes ?? []).includes(minute);
  const unknown = (options.unknownMinutes ?? []).includes(minute);
  const around = (cost: number) => Math.round(cost * (0.9 + 0.2 * random.next()));
  const loads: Load[] = [{ tenant: 'heavy', demandCost: around(inBurst ? 120_000 : 11_000) }];
  for (let index = 0; index < 4; index += 1) loads.push({ tenant: `mid${index}`, demandCost: around(3_600) });
  for (let index = 0; index < 20; index += 1) {
    loads.push({ tenant: `small${String(index).padStart(2, '0')}`, demandCost: around(300) });
  }
  const fair = minute >= (options.fairFromMinute ?? Number.POSITIVE_INFINITY);
  return judge(
    { startMs, loads: silent ? [] : loads, fair, unknown, newest: minute === (options.minutes ?? 60) - 1, random },
    options,
  );
}

interface Minute {
  readonly startMs: number;
  readonly loads: readonly Load[];
  readonly fair: boolean;
  readonly unknown: boolean;
  readonly newest: boolean;
  readonly random: Random;
}

function judge(minute: Minute, options: NoisyHourOptions): Window {
  const { loads, random } = minute;
  const demandCost = loads.reduce((sum, load) => sum + load.demandCost, 0);
  const contended = demandCost > CAPACITY_COST;
  const waterLevel = contended ? fillTo(loads.map((load) => load.demandCost)) : null;
  const unfair = contended && !minute.fair;
  const calmMs = 4 + 8 * random.next();
  const p99Ms = unfair ? 2_350 + 400 * random.next() : contended ? 60 + 60 * random.next() : calmMs;
  const tenants = loads.map((load): TenantWindow => {
    const fairShareCost = Math.min(load.demandCost, waterLevel ?? load.demandCost);
    const skew = unfair ? 0.85 + 0.3 * random.next() : 1;
    const servedCost = unfair
      ? Math.round((load.demandCost * CAPACITY_COST * skew) / demandCost)
      : Math.round(fairShareCost);
    const share = servedCost / fairShareCost;
    const isHeavy = load.tenant === 'heavy';
    const verdict = minute.unknown ? 'unknown' : unfair && isHeavy ? 'over' : unfair ? 'short' : 'fair';
    return tenantOf(
      load,
      { fairShareCost, servedCost, share, verdict, p99Ms: isHeavy && contended ? 2_600 : p99Ms },
      options,
    );
  });
  const shares = tenants.map((tenant) => tenant.normalized_share ?? 0);
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  const lowest = [...tenants].sort((a, b) => (a.normalized_share ?? 0) - (b.normalized_share ?? 0))[0];
  const samples = tenants
    .filter((tenant) => tenant.in_share)
    .reduce((total, tenant) => total + tenant.wait_ms.samples, 0);
  const judged = !minute.unknown && tenants.length > 0;
  return {
    start: new Date(minute.startMs).toISOString(),
    end: new Date(minute.startMs + MINUTE_MS).toISOString(),
    state: minute.newest ? 'provisional' : 'final',
    revision: 1,
    verdict: minute.unknown ? 'unknown' : unfair ? 'unfair' : contended ? 'fair' : 'uncontended',
    verdict_reasons: minute.unknown ? ['coverage'] : [],
    causes: unfair ? [{ cause: 'over_served', tenants: [options.renames?.heavy ?? 'heavy'] }] : [],
    coverage_ratio: minute.unknown ? 0.962 : 1,
    cost_unit: 'requests',
    capacity: { cost: CAPACITY_COST, basis: 'measured' },
    demand_cost: demandCost,
    served_cost: Math.min(demandCost, CAPACITY_COST),
    water_level: waterLevel,
    ...(waterLevel === null ? { water_level_reason: 'all_demand_met' } : {}),
    tenants_with_demand: tenants.length,
    jain_index: judged ? (sum * sum) / (shares.length * squares) : null,
    ...(judged ? {} : { jain_index_reason: minute.unknown ? 'coverage' : 'no_demand' }),
    min_normalized_share: judged && lowest ? { value: lowest.normalized_share ?? 0, tenant: lowest.tenant } : null,
    ...(judged ? {} : { min_normalized_share_reason: minute.unknown ? 'coverage' : 'no_demand' }),
    requests: demandCost,
    waiting_at_end: unfair ? 1_990 : 0,
    utilization_ratio: Math.min(1, demandCost / CAPACITY_COST),
    wait_ms: { p50: p99Ms * 0.9, p95: p99Ms * 0.97, p99: p99Ms, max: p99Ms * 1.02, samples, provenance: 'measured' },
    policy_changed: false,
    conflicts: 0,
    skewed: 0,
    lost: 0,
    in_share: {
      tenants: tenants.filter((tenant) => tenant.in_share).length,
      requests: samples,
      samples,
      over_threshold: unfair ? Math.round(samples * 0.9) : 0,
      threshold_ms: THRESHOLD_MS,
      p99_wait_ms: tenants.length > 0 ? p99Ms : null,
      ...(tenants.length > 0 ? {} : { p99_wait_reason: 'no_samples' }),
      sufficient: samples >= 100,
      provisional: minute.newest,
    },
    idle_while_waiting_ratio: 0,
    fluid: null,
    fluid_reason: 'not_built',
    tenants,
  };
}

interface Outcome {
  readonly fairShareCost: number;
  readonly servedCost: number;
  readonly share: number;
  readonly verdict: TenantWindow['verdict'];
  readonly p99Ms: number;
}

function tenantOf(load: Load, outcome: Outcome, options: NoisyHourOptions): TenantWindow {
  const { fairShareCost, servedCost, share, verdict, p99Ms } = outcome;
  const refused = Math.max(0, Math.round((load.demandCost - servedCost) * 0.65));
  return {
    tenant: options.renames?.[load.tenant] ?? load.tenant,
    group: null,
    weight: 1,
    verdict,
    arrived_cost: load.demandCost,
    arrived_cost_raw: load.demandCost,
    demand_cost: load.demandCost,
    backlog_cost: 0,
    fair_share_cost: fairShareCost,
    served_cost: servedCost,
    normalized_share: verdict === 'unknown' ? null : share,
    in_share: load.demandCost <= fairShareCost,
    fluid: null,
    lag_cost: Math.max(0, fairShareCost - servedCost),
    ideal_backlog_cost: Math.max(0, load.demandCost - fairShareCost),
    requests: load.demandCost,
    retries: 0,
    rejected: refused > 0 ? { queue_full: refused } : {},
    gave_up: 0,
    lost: 0,
    skewed: 0,
    quota_refused_cost: 0,
    wait_ms: {
      p50: p99Ms * 0.8,
      p95: p99Ms * 0.96,
      p99: p99Ms,
      max: p99Ms * 1.01,
      samples: servedCost,
      provenance: 'measured',
    },
  };
}

/** The water level of equal weights, by bisection: the slow way, independent of the product's. */
function fillTo(demands: readonly number[]): number {
  let low = 0;
  let high = CAPACITY_COST;
  for (let step = 0; step < 60; step += 1) {
    const level = (low + high) / 2;
    const filled = demands.reduce((sum, demand) => sum + Math.min(demand, level), 0);
    if (filled > CAPACITY_COST) high = level;
    else low = level;
  }
  return low;
}
