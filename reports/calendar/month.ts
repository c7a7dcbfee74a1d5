import { formatLocal, type OffsetSegment, offsetSegments, segmentAt } from './time-zone.ts';

/** A day of a zone's calendar. */
export interface CalendarDay {
  /** `2026-11-01`. */
  readonly date: string;
  /** `[startMs, endMs)`, epoch ms: 23, 24 or 25 hours as a rule. */
  readonly startMs: number;
  readonly endMs: number;
}

/** A month of a zone's calendar. Months, and the days of a month, follow each other without gap or overlap. */
export interface CalendarMonth {
  /** `2026-11`. */
  readonly month: string;
  readonly timeZone: string;
  readonly startMs: number;
  readonly endMs: number;
  /** In order. A date that the zone never had (Pacific/Apia, 2011-12-30) is not among them. */
  readonly days: readonly CalendarDay[];
  /** From the start of the month to its end, that moment included. */
  readonly offsets: readonly OffsetSegment[];
}

const HOUR_MS = 60 * 60 * 1000;
/** No zone has been further from UTC than 16 hours, nor skipped more than a day. */
const REACH_MS = 40 * HOUR_MS;

/** Whether a text names a month that a report may be made for: `1970-01` to `9998-12`. */
export function isMonth(text: string): boolean {
  return /^(19[7-9]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-(0[1-9]|1[0-2])$/.test(text);
}

/**
 * The month of a zone's calendar. A day begins at the first moment at which the zone's calendar shows its date or a
 * later one, so a day whose midnight is skipped begins when the clocks have sprung forward, and a moment at which clocks
 * fall back over midnight does not begin the day twice.
 *
 * @param month as `isMonth` takes it.
 * @param timeZone as `canonicalTimeZone` gave it.
 */
export function calendarMonth(month: string, timeZone: string): CalendarMonth {
  const year = Number(month.slice(0, 4));
  const index = Number(month.slice(5, 7)) - 1;
  const firstMs = Date.UTC(year, index, 1);
  const nextMs = Date.UTC(year, index + 1, 1);
  const segments = offsetSegments(timeZone, firstMs - REACH_MS, nextMs + REACH_MS);
  const dates = Math.round((nextMs - firstMs) / (24 * HOUR_MS));
  const days = Array.from({ length: dates }, (_, day) => {
    const localMs = firstMs + day * 24 * HOUR_MS;
    return {
      date: new Date(localMs).toISOString().slice(0, 10),
      startMs: firstReaching(segments, localMs),
      endMs: firstReaching(segments, localMs + 24 * HOUR_MS),
    };
  }).filter((day) => day.endMs > day.startMs);
  const startMs = days[0]?.startMs ?? firstMs;
  const endMs = days.at(-1)?.endMs ?? nextMs;
  const inside = segments.filter((segment) => segment.fromMs > startMs && segment.fromMs <= endMs);
  const offsets = [{ fromMs: startMs, offsetMs: segmentAt(segments, startMs).offsetMs }, ...inside];
  return { month, timeZone, startMs, endMs, days, offsets };
}

/** The month before or after: `shiftMonth('2026-01', -1)` is `2025-12`. */
export function shiftMonth(month: string, by: number): string {
  const shifted = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1 + by, 1));
  return shifted.toISOString().slice(0, 7);
}

/** The month that the zone's calendar shows at a moment. */
export function monthAt(atMs: number, timeZone: string): string {
  const [segment] = offsetSegments(timeZone, atMs, atMs + 1);
  return new Date(atMs + (segment?.offsetMs ?? 0)).toISOString().slice(0, 7);
}

/** A moment of the month, its end included, as local time with its offset. */
export function localTime(month: CalendarMonth, atMs: number): string {
  return formatLocal(atMs, segmentAt(month.offsets, atMs).offsetMs);
}

/** The first moment whose local time is `localMs` (as if it were UTC) or later. */
function firstReaching(segments: readonly OffsetSegment[], localMs: number): number {
  for (const [index, { fromMs, offsetMs }] of segments.entries()) {
    const reachedMs = Math.max(fromMs, localMs - offsetMs);
    if (reachedMs < (segments[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY)) return reachedMs;
  }
  return localMs;
}
