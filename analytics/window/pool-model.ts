import type { Groups } from '../../scheduler-core/index.ts';
import type { CapacityEntry, WeightEntry } from '../queries/pool-state.ts';
import type { Span } from './bounds.ts';
import { DEFAULT_TOP_TENANTS } from './cardinality-cap.ts';
import { type PolicyTimeline, policyAt, policyChangesWithin } from './policy-timeline.ts';

/** What is configured of a pool; every figure in the pool's cost unit unless it says otherwise. */
export interface PoolOptions {
  readonly costUnit: 'requests' | 'service_ms' | 'tokens';
  readonly inputTokenPrice: number;
  readonly outputTokenPrice: number;
  /** A wait above it counts as over the threshold, ms. */
  readonly waitThresholdMs: number;
  /** An open request older than this is closed as lost, ms. */
  readonly maxRequestAgeMs: number;
  /** How many tenants have lines of their own in series and metrics. */
  readonly topTenants: number;
  /** Tenants that have them whenever they are there. */
  readonly pinnedTenants: readonly string[];
}

export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  costUnit: 'requests',
  inputTokenPrice: 1,
  outputTokenPrice: 1,
  waitThresholdMs: 500,
  maxRequestAgeMs: 3_600_000,
  topTenants: DEFAULT_TOP_TENANTS,
  pinnedTenants: [],
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

/** What entitles the tenants of a pool, by time. */
export interface Entitlements {
  /** Policies from the store; where none holds yet, `weights` do. */
  readonly policies: PolicyTimeline;
  /** Weights that the configuration said. */
  readonly weights: WeightTimeline;
  /** When either says something new, ascending. */
  readonly moments: readonly number[];
}

export function entitlementsOf(policies: PolicyTimeline, weights: WeightTimeline): Entitlements {
  const moments = new Set(policies.map(({ atMs }) => atMs));
  for (const entries of weights.values()) for (const { atMs } of entries) moments.add(atMs);
  return { policies, weights, moments: [...moments].sort((a, b) => a - b) };
}

/** What a tenant may claim at a moment. */
export interface Standing {
  readonly weight: number;
  /** The group whose share it divides with others; null: it stands for itself. */
  readonly group: string | null;
  readonly groupWeight: number;
}

/**
 * A tenant's standing at a moment: what the policy in force says; before the first policy what the configuration said
 * then, else the weight that its first event of the window carried, else 1.
 */
export function standingAt(from: Entitlements, tenant: string, atMs: number, recorded: number | null): Standing {
  const policy = policyAt(from.policies, atMs);
  if (policy !== null) {
    const group = policy.groupOf.get(tenant) ?? null;
    return {
      weight: policy.weights.get(tenant) ?? policy.defaultWeight,
      group,
      groupWeight: group === null ? 1 : (policy.groupWeights.get(group) ?? 1),
    };
  }
  let weight: number | null = null;
  for (const entry of from.weights.get(tenant) ?? []) if (entry.atMs <= atMs) weight = entry.weight;
  return { weight: weight ?? recorded ?? 1, group: null, groupWeight: 1 };
}

/**
 * Whether a tenant's standing changes inside a window, by policy, configuration, or the events themselves where these
 * are what counts.
 */
export function changesInside(
  from: Entitlements,
  tenant: string,
  window: Span,
  standing: Standing,
  distinctRecorded: number,
): boolean {
  const differs = (other: Standing): boolean =>
    other.weight !== standing.weight ||
    other.group !== standing.group ||
    (other.group !== null && other.groupWeight !== standing.groupWeight);
  for (const { atMs } of policyChangesWithin(from.policies, window.fromMs, window.toMs)) {
    if (differs(standingAt(from, tenant, atMs, null))) return true;
  }
  if (policyAt(from.policies, window.fromMs) !== null) return false;
  const entries = from.weights.get(tenant) ?? [];
  const configured = entries.some((entry) => entry.atMs <= window.fromMs);
  const within = entries.filter((entry) => entry.atMs > window.fromMs && entry.atMs < window.toMs);
  // Before the configuration speaks, its first word is compared with the weight of all who are not spoken of.
  if (within.some((entry) => entry.weight !== (configured ? standing.weight : 1))) return true;
  return !configured && distinctRecorded > 1;
}

/** Whether a policy or the configuration may change a standing in `(fromMs, toMs]`. */
export function mayChange({ moments }: Entitlements, fromMs: number, toMs: number): boolean {
  return moments.some((atMs) => atMs > fromMs && atMs <= toMs);
}

/** The groups in which tenants stand, in the order of the tenants; null where each stands for itself. */
export function groupsOf(standings: Iterable<Standing>): Groups | null {
  const groups = new GroupNumbers();
  for (const standing of standings) groups.add(standing);
  return groups.groups();
}

/** Numbers groups by the order in which their first tenants come, one tenant after the other. */
export class GroupNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #weights: number[] = [];
  /** Empty until one stands in a group: mostly none does, of a million. */
  #of: number[] = [];
  #tenants = 0;

  add({ group, groupWeight }: Standing): void {
    this.#tenants++;
    if (group === null) {
      if (this.#weights.length > 0) this.#of.push(-1);
      return;
    }
    if (this.#weights.length === 0) this.#of = new Array<number>(this.#tenants - 1).fill(-1);
    let number = this.#numbers.get(group);
    if (number === undefined) {
      number = this.#weights.push(groupWeight) - 1;
      this.#numbers.set(group, number);
    }
    this.#of.push(number);
  }

  /** As `groupsOf` says it. */
  groups(): Groups | null {
    return this.#weights.length === 0 ? null : { of: this.#of, weights: this.#weights };
  }
}
