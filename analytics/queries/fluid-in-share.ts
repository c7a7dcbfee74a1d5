import { defineQuery } from '../storage/index.ts';
import type { ArrivalsParams } from './window-arrivals.ts';

/** When tenants were beyond their share, by the fluid model: filled by the job, read by the statements below. */
export const CREATE_BEYOND_SHARE =
  'CREATE OR REPLACE TEMPORARY TABLE beyond_share (tenant String, beyond_from_ms Int64, beyond_to_ms Int64)';
export const BEYOND_SHARE_COLUMNS = ['tenant', 'beyond_from_ms', 'beyond_to_ms'] as const;

const ARRIVED = 'a >= {from_ms:Int64} AND a < {to_ms:Int64}';

/** What arrived of tenants that were ever beyond their share, and whether they were when it did. */
const JUDGED = `SELECT rows.*, beyond_to_ms > a AS is_beyond
    FROM (SELECT * FROM {rows:Identifier} WHERE ${ARRIVED} AND tenant IN (SELECT tenant FROM beyond_share)) AS rows
    ASOF LEFT JOIN beyond_share ON rows.tenant = beyond_share.tenant AND rows.a >= beyond_share.beyond_from_ms`;

export interface FluidInShareRow {
  readonly window: number;
  readonly requests: number;
  readonly samples: number;
  readonly overThreshold: number;
  readonly p99WaitMs: number | null;
}

/** Requests that arrived while their tenants were within their share, per window, and their waits. */
export const FLUID_IN_SHARE = defineQuery<ArrivalsParams & { readonly threshold_ms: number }, FluidInShareRow>({
  name: 'fluid-in-share',
  sql: `SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS requests,
    countIf(wait IS NOT NULL) AS samples,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    quantilesExactIf(0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles
FROM (
    SELECT a, wait FROM {rows:Identifier} WHERE ${ARRIVED} AND tenant NOT IN (SELECT tenant FROM beyond_share)
    UNION ALL
    SELECT a, wait FROM (${JUDGED}) WHERE NOT is_beyond
)
GROUP BY step
ORDER BY step`,
  decode: (row) => ({
    window: Number(row.step),
    requests: Number(row.requests),
    samples: Number(row.samples),
    overThreshold: Number(row.over_threshold),
    p99WaitMs:
      Number(row.samples) === 0 ? null : Number(Array.isArray(row.wait_quantiles) ? row.wait_quantiles[0] : null),
  }),
});

export interface BeyondShareRow {
  readonly window: number;
  readonly tenant: string;
  readonly requests: number;
}

/** How many requests of a tenant arrived while it was beyond its share, per window; tenants without any are absent. */
export const BEYOND_SHARE_REQUESTS = defineQuery<ArrivalsParams, BeyondShareRow>({
  name: 'beyond-share-requests',
  sql: `SELECT intDiv(a, {window_ms:Int64}) AS step, tenant, count() AS requests
FROM (${JUDGED})
WHERE is_beyond
GROUP BY step, tenant
ORDER BY step, tenant`,
  decode: (row) => ({ window: Number(row.step), tenant: String(row.tenant), requests: Number(row.requests) }),
});
