import type { Random, ServiceModel, SizeDistribution } from '../../../../scheduler-core/index.ts';
import { MINUTE_MS } from './situation.ts';

export const FAIR_DISCIPLINES = ['drr', 'wfq', 'wf2q', 'vtc'] as const;
export type FairDiscipline = (typeof FAIR_DISCIPLINES)[number];

/** A pool and who shares it, before any load is drawn. */
export interface Terms {
  readonly slots: number;
  readonly tenants: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
  readonly costUnit: 'requests' | 'service_ms';
  readonly discipline: FairDiscipline;
  readonly queueLimit: number | null;
  readonly windows: number;
  /** Whether arrivals stop a window before the end. */
  readonly drains: boolean;
  readonly service: ServiceModel;
  readonly meanServiceMs: number;
  readonly shape: string;
}

export function pick<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[Math.floor(random.next() * values.length)] ?? values[0];
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.next();
}

/** Evenly by magnitude. */
export function magnitude(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

/** @param load of the pool, as a part of its capacity; it bounds how many requests come. */
export function drawTerms(random: Random, load: number): Terms {
  const slots = Math.round(magnitude(random, 1, 50));
  const tenants = Array.from({ length: Math.round(magnitude(random, 3, 60)) }, (_, index) =>
    index === 0 ? 'first' : `tenant ${String(index).padStart(2, '0')}`,
  );
  const equal = random.next() < 0.4;
  const weights = Object.fromEntries(
    tenants.map((tenant) => [tenant, equal ? 1 : pick(random, [0.5, 1, 1, 2, 3, 8] as const)]),
  );
  const long = random.next() < 0.12;
  const windows = long ? 6 : 3 + Math.floor(random.next() * 3);
  const drains = random.next() < 0.5;
  const wanted = magnitude(random, 800, 8_000);
  const meanServiceMs = long
    ? magnitude(random, 30_000, 150_000)
    : Math.min(20_000, Math.max(4, (load * slots * windows * MINUTE_MS) / wanted));
  const { shape, size } = long ? longService(random, meanServiceMs) : drawSize(random, meanServiceMs);
  const costUnit = pick(random, ['requests', 'service_ms'] as const);
  const service: ServiceModel = {
    size,
    baseMs: 0,
    perUnitMs: 1,
    cost: costUnit === 'requests' ? 1 : 'service_ms',
    estimate: { kind: 'none' },
  };
  const discipline = pick(random, FAIR_DISCIPLINES);
  const queueLimit = random.next() < 0.5 ? null : Math.round(magnitude(random, 5, 500));
  return {
    slots,
    tenants,
    weights,
    costUnit,
    discipline,
    queueLimit,
    windows,
    drains,
    service,
    meanServiceMs,
    shape,
  };
}

function longService(random: Random, meanMs: number): { shape: string; size: SizeDistribution } {
  return random.next() < 0.3
    ? { shape: 'long constant', size: { kind: 'constant', value: meanMs } }
    : { shape: 'long uniform', size: { kind: 'uniform', from: 30_000, to: Math.min(300_000, 2 * meanMs) } };
}

function drawSize(random: Random, meanMs: number): { shape: string; size: SizeDistribution } {
  return pick<{ shape: string; size: SizeDistribution }>(random, [
    { shape: 'exponential', size: { kind: 'exponential', mean: meanMs } },
    { shape: 'lognormal', size: { kind: 'lognormal', mean: meanMs, sigma: 0.8 } },
    { shape: 'constant', size: { kind: 'constant', value: meanMs } },
  ]);
}

/** The part of the capacity that is a tenant's whatever others do. */
export function guaranteedRatio(terms: Terms, tenant: string): number {
  const total = Object.values(terms.weights).reduce((sum, weight) => sum + weight, 0);
  return (terms.weights[tenant] ?? 1) / total;
}
