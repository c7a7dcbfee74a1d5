import { createHash } from 'node:crypto';
import type { Policy } from '../scheduler-core/index.ts';
import {
  POLICIES,
  POLICIES_IN_RANGE,
  POLICY_HEADS,
  POLICY_SOURCE,
  type PolicyHead,
  type PolicyRow,
  WINDOWS_ENDING_AFTER,
} from './queries/policies.ts';
import { type Lane, type Store, tsvRow } from './storage/index.ts';
import { diffPolicies, isEmptyDiff, type PolicyDiff } from './window/policy-diff.ts';
import { decodeTerms, encodeTerms, type PolicyTerms, policyTerms } from './window/policy-terms.ts';
import { policyAt } from './window/policy-timeline.ts';

/** A policy of a pool in the store. */
export interface StoredPolicy extends Omit<PolicyRow, 'body'> {
  readonly terms: PolicyTerms;
}

export interface ApplyPolicyRequest {
  readonly pool: string;
  /** The file's text, kept as it is. */
  readonly text: string;
  /** What it says; weights may be 0 (`parsePolicy` with `allowsZeroWeight`). */
  readonly policy: Policy;
  /** From when it holds, until the next one of the pool; whole epoch ms. */
  readonly atMs: number;
  readonly nowMs: number;
  /** Length of the windows that are to follow. */
  readonly windowMs: number;
  /** Says what would come of it, and stores nothing. */
  readonly dryRun: boolean;
}

export interface AppliedPolicy {
  /** `unchanged`: the same text, saying the same, holds from that moment already. */
  readonly outcome: 'applied' | 'unchanged';
  readonly digest: string;
  /** What held at that moment before; null: no policy. */
  readonly before: PolicyHead | null;
  readonly changes: PolicyDiff;
  /** When the next policy of the pool begins to hold; null: none does. */
  readonly untilMs: number | null;
  /** Stored windows that end after `atMs` and are as computed before this policy; 0 where nothing changes for them. */
  readonly windowsToRecompute: number;
}

const COLUMNS = ['pool', 'at_ms', 'name', 'digest', 'body', 'source', 'applied_at_ms'];
const LANE: Lane = 'jobs';

/**
 * Stores from when a policy holds in a pool; one that held from the same moment is replaced. Idempotent. Windows are not
 * recomputed here: `windowsToRecompute` says how many wait for it.
 */
export async function applyPolicy(store: Store, request: ApplyPolicyRequest): Promise<AppliedPolicy> {
  const { pool, text, policy, atMs } = request;
  const heads = await store.query(LANE, POLICY_HEADS, { pool });
  const before = policyAt(heads, atMs);
  const held = before === null ? null : await readPolicyAt(store, pool, atMs);
  const terms = policyTerms(policy);
  const digest = policyDigest(terms);
  const changes = diffPolicies(held?.terms ?? null, terms);
  const answer = {
    digest,
    before,
    changes,
    untilMs: heads.find((head) => head.atMs > atMs)?.atMs ?? null,
  };
  const replaced = before?.atMs === atMs ? before : null;
  if (replaced?.digest === digest && replaced.name === policy.name) {
    const source = await readPolicySource(store, pool, atMs);
    if (source === text) return { ...answer, outcome: 'unchanged', windowsToRecompute: 0 };
  }
  const windowsToRecompute = before !== null && isEmptyDiff(changes) ? 0 : await countWindows(store, request);
  if (!request.dryRun) {
    // The newest counts, though a clock went back.
    const appliedAtMs = Math.max(request.nowMs, (replaced?.appliedAtMs ?? Number.NEGATIVE_INFINITY) + 1);
    const row = [pool, atMs, policy.name, digest, encodeTerms(terms), text, appliedAtMs];
    await store.insert(LANE, 'pool_policies', COLUMNS, tsvRow(row));
  }
  return { ...answer, outcome: 'applied', windowsToRecompute };
}

/** SHA-256 of the terms in canonical form, hexadecimal: policies that say the same have the same. */
export function policyDigest(terms: PolicyTerms): string {
  return createHash('sha256').update(encodeTerms(terms)).digest('hex');
}

async function countWindows(store: Store, { pool, windowMs, atMs }: ApplyPolicyRequest): Promise<number> {
  const params = { pool, window_ms: windowMs, from_ms: atMs };
  const [counted] = await store.query(LANE, WINDOWS_ENDING_AFTER, params);
  return counted?.windows ?? 0;
}

/** What is stored, by pool and time, without the contents; of all pools, or of one. */
export function listPolicies(store: Store, pool: string | null): Promise<PolicyHead[]> {
  return store.query('reads', POLICY_HEADS, { pool: pool ?? '' });
}

/** Every policy of a pool, in time order. */
export async function readPolicies(store: Store, pool: string): Promise<StoredPolicy[]> {
  return (await store.query('reads', POLICIES, { pool })).map(stored);
}

/** The policy that holds in a pool at a moment; null where none does. */
export async function readPolicyAt(store: Store, pool: string, atMs: number): Promise<StoredPolicy | null> {
  const rows = await store.query('reads', POLICIES_IN_RANGE, { pool, from_ms: atMs, to_ms: atMs });
  return policyAt(rows.map(stored), atMs);
}

/** The text of the policy that begins to hold at exactly a moment, as the file had it; null where none does. */
export async function readPolicySource(store: Store, pool: string, atMs: number): Promise<string | null> {
  const [row] = await store.query('reads', POLICY_SOURCE, { pool, at_ms: atMs });
  return row?.source ?? null;
}

function stored({ body, ...row }: PolicyRow): StoredPolicy {
  return { ...row, terms: decodeTerms(body) };
}
