import { decodeTerms, type PolicyTerms } from './policy-terms.ts';

/** The policy of a pool that holds from a moment on, until the next one of its timeline. */
export interface StandingPolicy {
  /** Epoch ms. */
  readonly atMs: number;
  readonly name: string;
  /** Of what it says: two that say the same have the same. */
  readonly digest: string;
  /** Of tenants that `weights` does not name; ≥ 0. */
  readonly defaultWeight: number;
  /** Of every tenant that it names; ≥ 0. */
  readonly weights: ReadonlyMap<string, number>;
  /** The group of every tenant that is in one. */
  readonly groupOf: ReadonlyMap<string, string>;
  /** Of every group that `groupOf` leads to, and perhaps others; ≥ 0. */
  readonly groupWeights: ReadonlyMap<string, number>;
}

/** The policies of a pool in time order, no two from the same moment. */
export type PolicyTimeline = readonly StandingPolicy[];

/** What a policy says of shares. */
export function standingPolicy(
  head: Pick<StandingPolicy, 'atMs' | 'name' | 'digest'>,
  terms: PolicyTerms,
): StandingPolicy {
  const weights = new Map<string, number>();
  const groupOf = new Map<string, string>();
  for (const [tenant, { weight, group }] of terms.tenants) {
    weights.set(tenant, weight);
    if (group !== null) groupOf.set(tenant, group);
  }
  const { atMs, name, digest } = head;
  return {
    atMs,
    name,
    digest,
    defaultWeight: terms.defaultTenant.weight,
    weights,
    groupOf,
    groupWeights: terms.groups,
  };
}

/** The timeline of stored policies (rows of `POLICIES` or `POLICIES_IN_RANGE`), which come in time order. */
export function policyTimeline(
  rows: readonly (Pick<StandingPolicy, 'atMs' | 'name' | 'digest'> & { readonly body: string })[],
): PolicyTimeline {
  return rows.map((row) => standingPolicy(row, decodeTerms(row.body)));
}

/**
 * The policy that holds at a moment: the last one from it or from before it. Null before the first one: then weights are
 * those that configuration and events say. O(log n).
 */
export function policyAt<Policy extends { readonly atMs: number }>(
  timeline: readonly Policy[],
  atMs: number,
): Policy | null {
  return timeline[countUpTo(timeline, atMs) - 1] ?? null;
}

/** The policies that begin to hold inside `(startMs, endMs)`: one from the very start of a window is no change in it. */
export function policyChangesWithin<Policy extends { readonly atMs: number }>(
  timeline: readonly Policy[],
  startMs: number,
  endMs: number,
): Policy[] {
  const changes: Policy[] = [];
  for (let index = countUpTo(timeline, startMs); ; index++) {
    const policy = timeline[index];
    if (policy === undefined || policy.atMs >= endMs) return changes;
    changes.push(policy);
  }
}

/** How many begin at or before a moment. */
function countUpTo(timeline: readonly { readonly atMs: number }[], atMs: number): number {
  let low = 0;
  let high = timeline.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const policy = timeline[middle];
    if (policy !== undefined && policy.atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
