import { defineQuery, type Parameters } from '../storage/index.ts';
import { REQUEST_KINDS } from './window-rows.ts';

export interface WindowScan {
  readonly rows: number;
  readonly unpriced: number;
  readonly linked: number;
  readonly disputed: number;
  /** Smallest arrival among rows without a cost, epoch ms; null when each has one. */
  readonly unpricedFromMs: number | null;
  /** Smallest arrival among rows lost in service that may have been in service still, epoch ms; null when there is none. */
  readonly lostFromMs: number | null;
}

/**
 * What the rows of a range call for: imputed costs, retries to fold, disputes to look at, means of long ago. Of lost requests
 * those that were dispatched from `reach_ms` on.
 */
export const WINDOW_SCAN = defineQuery<Parameters & { readonly reach_ms: number }, WindowScan>({
  name: 'window-scan',
  sql: `SELECT
    count() AS row_count,
    countIf(c IS NULL) AS unpriced,
    countIf(linked) AS linked_count,
    countIf(disputed) AS disputed_count,
    minIf(a, c IS NULL) AS unpriced_from_ms,
    countIf(kind = ${REQUEST_KINDS.lostInService} AND p >= {reach_ms:Int64}) AS lost_count,
    minIf(a, kind = ${REQUEST_KINDS.lostInService} AND p >= {reach_ms:Int64}) AS lost_from_ms
FROM window_rows`,
  decode: (row) => ({
    rows: Number(row.row_count),
    unpriced: Number(row.unpriced),
    linked: Number(row.linked_count),
    disputed: Number(row.disputed_count),
    unpricedFromMs: Number(row.unpriced) === 0 ? null : Number(row.unpriced_from_ms),
    lostFromMs: Number(row.lost_count) === 0 ? null : Number(row.lost_from_ms),
  }),
});

export interface ServiceMean {
  readonly window: number;
  readonly meanServiceMs: number;
}

/** Mean service time per window of completion (Ŝ before it is carried over windows without completions). */
export const SERVICE_MEANS = defineQuery<Parameters & { readonly window_ms: number }, ServiceMean>({
  name: 'service-means',
  sql: `SELECT intDiv(e, {window_ms:Int64}) AS step, sum(greatest(e - p, 1)) / count() AS mean_service_ms
FROM window_rows
WHERE kind = 1 AND e >= p
GROUP BY step
ORDER BY step`,
  decode: (row) => ({ window: Number(row.step), meanServiceMs: Number(row.mean_service_ms) }),
});
