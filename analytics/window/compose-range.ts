import type { Span } from './bounds.ts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** What windows are added up to, all in UTC: no zone's calendar and no leap second is in it. */
export const ROLLUP_PERIODS = ['month', 'day', 'hour'] as const;
export type RollupPeriod = (typeof ROLLUP_PERIODS)[number];

/** An hour with stored windows that start in it. */
export interface WindowHour {
  readonly startMs: number;
  /**
   * Which computations of which windows are in it, as one number of 64 bits: the sum of a hash of each (start,
   * computation). What several hours hold has the sum of theirs.
   */
  readonly fingerprint: bigint;
}

/** Windows added up, named by what they were made of: another computation of any of them has another fingerprint. */
export interface Rollup {
  readonly period: RollupPeriod;
  readonly startMs: number;
  readonly fingerprint: bigint;
}

/** Rollups as a set, by `rollupKey`. */
export type StoredRollups = ReadonlySet<string>;

export function rollupKey({ period, startMs, fingerprint }: Rollup): string {
  return `${period} ${startMs} ${fingerprint}`;
}

/** What a range is made of: whole months, days and hours that are added up, and single windows for the rest. */
export interface ComposedRange {
  readonly rollups: readonly Rollup[];
  /** Of windows, in time order, apart from each other. */
  readonly spans: readonly Span[];
}

/** The period that holds a moment. */
export function periodAt(period: RollupPeriod, atMs: number): Span {
  if (period === 'month') {
    const at = new Date(atMs);
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return { fromMs: Date.UTC(year, month), toMs: Date.UTC(year, month + 1) };
  }
  const lengthMs = period === 'day' ? DAY_MS : HOUR_MS;
  const fromMs = Math.floor(atMs / lengthMs) * lengthMs;
  return { fromMs, toMs: fromMs + lengthMs };
}

/** A range cut at the bounds of its hours, days or months (UTC); the first and the last part may be shorter. */
export function periodsOf(period: RollupPeriod, range: Span): Span[] {
  const parts: Span[] = [];
  for (let fromMs = range.fromMs; fromMs < range.toMs; ) {
    const toMs = Math.min(periodAt(period, fromMs).toMs, range.toMs);
    parts.push({ fromMs, toMs });
    fromMs = toMs;
  }
  return parts;
}

/** Hours in time order, put together by the period that holds them. */
export function groupByPeriod(
  period: RollupPeriod,
  hours: readonly WindowHour[],
): { readonly rollup: Rollup; readonly span: Span; readonly hours: readonly WindowHour[] }[] {
  const groups: { span: Span; hours: WindowHour[] }[] = [];
  for (const hour of hours) {
    const last = groups.at(-1);
    if (last !== undefined && hour.startMs < last.span.toMs) last.hours.push(hour);
    else groups.push({ span: periodAt(period, hour.startMs), hours: [hour] });
  }
  return groups.map((group) => ({
    ...group,
    rollup: { period, startMs: group.span.fromMs, fingerprint: sumOf(group.hours) },
  }));
}

/**
 * Takes the largest rollups that hold exactly the windows of today's computations, and single windows where there is none:
 * whatever is or is not added up yet, the parts hold each window of the range once.
 *
 * @param hours those with windows in the range, in time order; where the range ends inside an hour, that hour's
 * fingerprint is of the windows in the range and counts for nothing.
 */
export function composeRange(range: Span, hours: readonly WindowHour[], stored: StoredRollups): ComposedRange {
  const rollups: Rollup[] = [];
  const spans: { fromMs: number; toMs: number }[] = [];
  const addSpan = ({ fromMs, toMs }: Span): void => {
    const last = spans.at(-1);
    if (last !== undefined && last.toMs === fromMs) last.toMs = toMs;
    else spans.push({ fromMs, toMs });
  };
  const add = (depth: number, of: readonly WindowHour[]): void => {
    const period = ROLLUP_PERIODS[depth];
    if (period === undefined) {
      for (const { startMs } of of) {
        addSpan({ fromMs: Math.max(startMs, range.fromMs), toMs: Math.min(startMs + HOUR_MS, range.toMs) });
      }
      return;
    }
    for (const { rollup, span, hours: inside } of groupByPeriod(period, of)) {
      const isWhole = span.fromMs >= range.fromMs && span.toMs <= range.toMs;
      if (isWhole && stored.has(rollupKey(rollup))) rollups.push(rollup);
      else add(depth + 1, inside);
    }
  };
  add(0, hours);
  return { rollups, spans };
}

function sumOf(hours: readonly WindowHour[]): bigint {
  let sum = 0n;
  for (const { fingerprint } of hours) sum += fingerprint;
  return BigInt.asUintN(64, sum);
}
