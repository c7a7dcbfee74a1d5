import { defineQuery, type Parameters } from '../storage/index.ts';

/** A policy as it is stored, with the body that `decodeTerms` reads. */
export interface PolicyRow {
  /** From when it holds, epoch ms. */
  readonly atMs: number;
  readonly name: string;
  /** SHA-256 of the body, hexadecimal. */
  readonly digest: string;
  readonly body: string;
  readonly appliedAtMs: number;
}

/** Every policy of a pool, in time order. */
export const POLICIES = defineQuery<Parameters & { readonly pool: string }, PolicyRow>({
  name: 'policies',
  sql: `SELECT at_ms, name, digest, body, applied_at_ms
FROM pool_policies FINAL
WHERE pool = {pool:String}
ORDER BY at_ms`,
  decode: decodePolicy,
});

/** The policies that hold somewhere in `[from_ms, to_ms)`, in time order: the last up to its start, and those inside. */
export const POLICIES_IN_RANGE = defineQuery<
  Parameters & { readonly pool: string; readonly from_ms: number; readonly to_ms: number },
  PolicyRow
>({
  name: 'policies-in-range',
  // Bodies may be large: they are read of the chosen rows only. The table is ordered by both columns.
  sql: `SELECT at_ms, name, digest, body, applied_at_ms
FROM pool_policies FINAL
PREWHERE pool = {pool:String} AND at_ms < greatest({to_ms:Int64}, {from_ms:Int64} + 1)
    AND at_ms >= (
        SELECT ifNull(maxOrNull(at_ms), {from_ms:Int64})
        FROM pool_policies
        WHERE pool = {pool:String} AND at_ms <= {from_ms:Int64}
    )
ORDER BY at_ms`,
  decode: decodePolicy,
});

/** A stored policy without its contents. */
export interface PolicyHead extends Omit<PolicyRow, 'body'> {
  readonly pool: string;
  readonly tenants: number;
  readonly groups: number;
}

/** What is stored of one pool, or of all where the name is empty: by pool and time, without the contents. */
export const POLICY_HEADS = defineQuery<Parameters & { readonly pool: string }, PolicyHead>({
  name: 'policy-heads',
  sql: `SELECT
    pool, at_ms, name, digest, applied_at_ms, JSONLength(body, 'tenants') AS tenants, JSONLength(body, 'groups') AS groups
FROM pool_policies FINAL
WHERE {pool:String} = '' OR pool = {pool:String}
ORDER BY pool, at_ms`,
  decode: (row) => ({
    pool: String(row.pool),
    atMs: Number(row.at_ms),
    name: String(row.name),
    digest: String(row.digest),
    tenants: Number(row.tenants),
    groups: Number(row.groups),
    appliedAtMs: Number(row.applied_at_ms),
  }),
});

/** The text of the policy that begins to hold at exactly a moment: 0 rows where none does. */
export const POLICY_SOURCE = defineQuery<
  Parameters & { readonly pool: string; readonly at_ms: number },
  { readonly source: string }
>({
  name: 'policy-source',
  sql: `SELECT source
FROM pool_policies FINAL
PREWHERE pool = {pool:String} AND at_ms = {at_ms:Int64}`,
  decode: (row) => ({ source: String(row.source) }),
});

/** How many windows are stored that end after a moment. */
export const WINDOWS_ENDING_AFTER = defineQuery<
  Parameters & { readonly pool: string; readonly window_ms: number; readonly from_ms: number },
  { readonly windows: number }
>({
  name: 'windows-ending-after',
  sql: `SELECT uniqExact(start_ms) AS windows
FROM windows
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64}`,
  decode: (row) => ({ windows: Number(row.windows) }),
});

function decodePolicy(row: Readonly<Record<string, unknown>>): PolicyRow {
  return {
    atMs: Number(row.at_ms),
    name: String(row.name),
    digest: String(row.digest),
    body: String(row.body),
    appliedAtMs: Number(row.applied_at_ms),
  };
}
