import { defineBinaryQuery, type Floats, type Parameters } from '../storage/index.ts';
import { REQUEST_KINDS, type RowsTable } from './window-rows.ts';

export interface SpansParams extends Parameters {
  readonly rows: RowsTable;
  readonly window_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly watermark_ms: number;
  /** Ŝ per window, from `means_from_window` on. */
  readonly means: readonly number[];
  /** Number (start ÷ length) of the window that `means` starts with. */
  readonly means_from_window: number;
}

/** Requests of one tenant that touch a range, a column each; times in ms from the range's start. */
export interface RequestSpans {
  readonly tenant: string;
  readonly arrivedMs: Floats;
  /** When it was dispatched, gave up or was refused; of one that waits still, the range's end. Never before its arrival. */
  readonly turnMs: Floats;
  /** `S` ≥ 1: how long it was, or would have been, in service (docs/definitions.md, "Work"). */
  readonly serviceMs: Floats;
  readonly cost: Floats;
  readonly slots: Floats;
  /** What it is to the windows (`REQUEST_KINDS`), and whether a later attempt stands for it. */
  readonly kindOf: Uint8Array;
}

const SUPERSEDED = 16;

/** Of an entry of `kindOf`. */
export function requestKind(entry: number): number {
  return entry % SUPERSEDED;
}

export function isSuperseded(entry: number): boolean {
  return entry >= SUPERSEDED;
}

const { served, inService, waiting, refused, quota, lostInService } = REQUEST_KINDS;

/**
 * Every request that touches the range, tenant by tenant, in the order of their names' bytes: ClickHouse merges, chooses and
 * groups, and the job spreads them over windows and seconds. Spread in SQL, that took five times as long. Refusals by a
 * quota are offered to nobody and left out. One array a column, all in the same order: of tuples, grouping took four times
 * as long.
 */
export const REQUEST_SPANS = defineBinaryQuery<SpansParams, Iterable<RequestSpans>>({
  name: 'request-spans',
  sql: `SELECT
    tenant,
    groupArray(toFloat64(a - {from_ms:Int64})),
    groupArray(toFloat64(turn - {from_ms:Int64})),
    groupArray(S),
    groupArray(assumeNotNull(c)),
    groupArray(k),
    groupArray(toUInt8(kind + if(superseded, ${SUPERSEDED}, 0)))
FROM (
    SELECT
        tenant, a, c, k, kind, superseded,
        multiIf(
            kind IN (${served}, ${inService}, ${lostInService}), p,
            kind = ${waiting}, greatest(a, {to_ms:Int64}),
            kind = ${refused}, greatest(a, e),
            a
        ) AS turn,
        greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
        multiIf(
            kind = ${served}, toFloat64(greatest(e - p, 1)),
            kind = ${inService}, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
            mean
        ) AS S
    FROM {rows:Identifier}
    WHERE kind != ${quota}
)
GROUP BY tenant
ORDER BY tenant`,
  read: function* (rows) {
    while (!rows.isAtEnd) {
      yield {
        tenant: rows.text(),
        arrivedMs: rows.float64s(),
        turnMs: rows.float64s(),
        serviceMs: rows.float64s(),
        cost: rows.float64s(),
        slots: rows.float64s(),
        kindOf: rows.uint8s(),
      };
    }
  },
});
