import { formatLocal, type OffsetSegment, parseOffset, segmentAt } from '../calendar/time-zone.ts';
import type { Formats } from '../format.ts';
import type { ReportDocument } from '../report-document.ts';

/** Moments of a report as its readers' clocks showed them. */
export interface LocalTimes {
  /** Of a UTC time: local time with its offset. */
  local(utc: string): string;
  /** `1 Nov 10:05`, with the offset on days that have two. Takes local times with an offset. */
  when(local: string): string;
  /** `1 Nov 10:05 – 10:09`. */
  span(startLocal: string, endLocal: string): string;
  /** `10:05`. */
  clock(local: string): string;
  /** Offset to UTC at a moment, ms. */
  offsetMs(atMs: number): number;
}

export function createLocalTimes(period: ReportDocument['period'], formats: Formats): LocalTimes {
  const segments: OffsetSegment[] = period.offsets.map(({ from, offset }) => ({
    fromMs: Date.parse(from),
    offsetMs: parseOffset(offset),
  }));
  const offsetMs = (atMs: number): number => segmentAt(segments, atMs).offsetMs;
  const clock = (local: string): string => local.slice(11, 16);
  const changeDates = new Set(
    segments
      .slice(1)
      .flatMap(({ fromMs, offsetMs: afterMs }) => [
        formatLocal(fromMs, afterMs).slice(0, 10),
        formatLocal(fromMs, offsetMs(fromMs - 1)).slice(0, 10),
      ]),
  );
  const offsetSuffix = (local: string): string => (changeDates.has(local.slice(0, 10)) ? ` ${local.slice(19)}` : '');
  const day = (local: string): string => formats.shortDate(local.slice(0, 10));
  return {
    local: (utc) => formatLocal(Date.parse(utc), offsetMs(Date.parse(utc))),
    when: (local) => `${day(local)} ${clock(local)}${offsetSuffix(local)}`,
    span: (start, end) => {
      const isSameDay = start.slice(0, 10) === end.slice(0, 10);
      const last = isSameDay ? clock(end) : `${day(end)} ${clock(end)}`;
      return `${day(start)} ${clock(start)} – ${last}${offsetSuffix(end)}`;
    },
    clock,
    offsetMs,
  };
}
