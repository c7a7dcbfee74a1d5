import { type WaitPoint, type WaitSpan, waitChart } from '../charts/wait-chart.ts';
import { type PoolReport, type ReportDocument, WINDOW_COLUMN_INDEX } from '../report-document.ts';
import type { Words } from './words.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
/** A tenant that was there for no longer is shown window by window; else the month is shown by its hours. */
const CLOSE_SPAN_MS = 36 * HOUR_MS;
const CLOSE_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360].map((minutes) => minutes * MINUTE_MS);
const MAX_CLOSE_TICKS = 9;
const DAYS_BETWEEN_TICKS = 2;

export interface WaitView {
  readonly note: string;
  readonly chart: string;
}

/** The wait chart of a pool; null where no window has waits. */
export function waitView(document: ReportDocument, pool: PoolReport, words: Words): WaitView | null {
  const windows = windowPoints(pool, document.window_ms);
  const [first, last] = [windows[0], windows.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isClose = last.endMs - first.startMs <= CLOSE_SPAN_MS;
  const span = isClose ? closeSpan(first.startMs, last.endMs, words) : monthSpan(document);
  const points = isClose ? windows : hourPoints(pool, windows, words);
  const thresholds = pool.thresholds.map((step) => ({ fromMs: Date.parse(step.from), thresholdMs: step.threshold_ms }));
  const { say, formats, times } = words;
  const local = (atMs: number): string => times.local(new Date(atMs).toISOString());
  return {
    note: isClose
      ? say('wait.note_windows', { from: times.when(local(first.startMs)), to: times.when(local(last.endMs)) })
      : say('wait.note_hours'),
    chart: waitChart(points, thresholds, span, {
      label: say('wait.label', {
        over: formats.count(pool.totals.windows_p99_over_threshold),
        windows: formats.counted('counted.windows', pool.totals.windows_with_samples),
      }),
      tick: formats.wait,
    }),
  };
}

function windowPoints(pool: PoolReport, windowMs: number): WaitPoint[] {
  return pool.windows.rows.flatMap((row) => {
    const startMs = Date.parse(row[WINDOW_COLUMN_INDEX.start]);
    const p99Ms = row[WINDOW_COLUMN_INDEX.p99WaitMs];
    const thresholdMs = row[WINDOW_COLUMN_INDEX.thresholdMs];
    return p99Ms === null ? [] : [{ startMs, endMs: startMs + windowMs, p99Ms, isOver: p99Ms > thresholdMs }];
  });
}

/** The greatest p99 of each hour of the zone's clock, over where one of its windows is. */
function hourPoints(pool: PoolReport, windows: readonly WaitPoint[], { times }: Words): WaitPoint[] {
  const points: { startMs: number; endMs: number; p99Ms: number; isOver: boolean }[] = [];
  for (const window of windows) {
    const offsetMs = times.offsetMs(window.startMs);
    const startMs = Math.floor((window.startMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    const last = points.at(-1);
    if (last !== undefined && last.startMs === startMs) {
      last.p99Ms = Math.max(last.p99Ms, window.p99Ms);
      last.isOver ||= window.isOver;
    } else points.push({ startMs, endMs: startMs + HOUR_MS, p99Ms: window.p99Ms, isOver: window.isOver });
  }
  return pool.hours.length === 0 ? [] : points;
}

function monthSpan(document: ReportDocument): WaitSpan {
  const days = document.pools[0]?.days ?? [];
  return {
    fromMs: Date.parse(document.period.start_utc),
    toMs: Date.parse(document.period.end_utc),
    ticks: days
      .filter((_, index) => index % DAYS_BETWEEN_TICKS === 0)
      .map((day) => ({ atMs: Date.parse(day.start), label: String(Number(day.date.slice(8))) })),
  };
}

/** Round local times around a short span, with as many ticks as there is room for. */
function closeSpan(firstMs: number, lastMs: number, { times }: Words): WaitSpan {
  const offsetMs = times.offsetMs(firstMs);
  const longest = CLOSE_STEPS_MS.at(-1) ?? HOUR_MS;
  const stepMs = CLOSE_STEPS_MS.find((step) => (lastMs - firstMs) / step <= MAX_CLOSE_TICKS) ?? longest;
  const fromMs = Math.floor((firstMs + offsetMs) / stepMs) * stepMs - offsetMs;
  const toMs = Math.ceil((lastMs + offsetMs) / stepMs) * stepMs - offsetMs;
  const steps = Math.round((toMs - fromMs) / stepMs);
  const ticks = Array.from({ length: steps + 1 }, (_, index) => {
    const atMs = fromMs + index * stepMs;
    return { atMs, label: times.clock(times.local(new Date(atMs).toISOString())) };
  });
  return { fromMs, toMs, ticks };
}
