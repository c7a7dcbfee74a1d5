import type { CapacityEntry, WeightEntry } from '../queries/pool-state.ts';

/** What is configured of a pool; every figure in the pool's cost unit unless it says otherwise. */
export interface PoolOptions {
  readonly costUnit: 'requests' | 'service_ms' | 'tokens';
  readonly inputTokenPrice: number;
  readonly outputTokenPrice: number;
  /** A wait above it counts as over the threshold, ms. */
  readonly waitThresholdMs: number;
  /** An open request older than this is closed as lost, ms. */
  readonly maxRequestAgeMs: number;
}

export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  costUnit: 'requests',
  inputTokenPrice: 1,
  outputTokenPrice: 1,
  waitThresholdMs: 500,
  maxRequestAgeMs: 3_600_000,
};

export interface CapacityInWindow {
  /** Time-weighted mean of the declared slots; null when none are declared. */
  readonly slots: number | null;
  /** Configured work per second; null when none is. */
  readonly perS: number | null;
  readonly changed: boolean;
}

/**
 * The declared capacity in `[startMs, endMs)`: what was announced last before each moment holds; before the first
 * announcement that one holds too, since a pool exists before it first speaks. A figure in requests per second wins over
 * slots where both are declared.
 */
export function capacityInWindow(entries: readonly CapacityEntry[], startMs: number, endMs: number): CapacityInWindow {
  const perS = lastAt(
    entries.filter((entry) => entry.capacityPerS !== null),
    startMs,
  );
  const declared = entries.filter((entry) => entry.slots !== null);
  const first = declared[0];
  if (first === undefined) return { slots: null, perS: perS?.capacityPerS ?? null, changed: false };
  let slots = (lastAt(declared, startMs) ?? first).slots ?? 0;
  let fromMs = startMs;
  let slotMs = 0;
  let changed = false;
  for (const entry of declared) {
    if (entry.atMs <= startMs || entry.atMs >= endMs || entry.slots === null) continue;
    slotMs += slots * (entry.atMs - fromMs);
    if (entry.slots !== slots && entry !== first) changed = true;
    slots = entry.slots;
    fromMs = entry.atMs;
  }
  slotMs += slots * (endMs - fromMs);
  return { slots: slotMs / (endMs - startMs), perS: perS?.capacityPerS ?? null, changed };
}

function lastAt<Entry extends { readonly atMs: number }>(entries: readonly Entry[], atMs: number): Entry | null {
  let last: Entry | null = entries[0] ?? null;
  for (const entry of entries) if (entry.atMs <= atMs) last = entry;
  return last;
}

/** Weights by policy: per tenant its entries in time order. */
export type WeightTimeline = ReadonlyMap<string, readonly WeightEntry[]>;

export function weightTimeline(entries: readonly WeightEntry[]): WeightTimeline {
  const timeline = new Map<string, WeightEntry[]>();
  for (const entry of entries) {
    const known = timeline.get(entry.tenant);
    if (known === undefined) timeline.set(entry.tenant, [entry]);
    else known.push(entry);
  }
  return timeline;
}

export interface WeightInWindow {
  readonly weight: number;
  readonly changed: boolean;
}

/**
 * A tenant's weight at a window's start: what the policy in force then says, else what its first event of the window
 * carried, else 1. `changed` when the policy or the events name another one inside the window.
 */
export function weightInWindow(
  timeline: WeightTimeline,
  tenant: string,
  startMs: number,
  endMs: number,
  recorded: { readonly first: number | null; readonly distinct: number },
): WeightInWindow {
  const entries = timeline.get(tenant) ?? [];
  let weight: number | null = null;
  let changed = false;
  for (const entry of entries) {
    if (entry.atMs <= startMs) weight = entry.weight;
    else if (entry.atMs < endMs && entry.weight !== (weight ?? 1)) changed = true;
  }
  if (weight !== null) return { weight, changed };
  return { weight: recorded.first ?? 1, changed: changed || recorded.distinct > 1 };
}
