import type { PoolProgress, TenantFigures, TenantHistoryWindow } from '../analytics/index.ts';
import { type CalendarMonth, localTime } from './calendar/month.ts';
import { segmentAt } from './calendar/time-zone.ts';
import { causesOf, IncidentTracker } from './incidents.ts';
import { QualityTally } from './quality.ts';
import {
  type PoolReport,
  type ReportHour,
  WINDOW_COLUMN_INDEX,
  WINDOW_COLUMNS,
  type WindowRow,
} from './report-document.ts';
import { Tally } from './tally.ts';
import { waitDistribution } from './wait-distribution.ts';

/** A pool's part of a report, all but what is said of it in words. */
export type PoolFigures = Omit<PoolReport, 'verdict'>;

type OpenHour = { -readonly [Key in keyof ReportHour]: ReportHour[Key] };

/**
 * Takes a month's windows of one pool in time order and makes the figures of a tenant's report of them. What it keeps
 * grows with the length of the month, not with the number of tenants or requests.
 */
export class PoolTally {
  readonly #pool: string;
  readonly #month: CalendarMonth;
  readonly #total = new Tally();
  readonly #days: readonly Tally[];
  readonly #hours = new Map<string, OpenHour>();
  readonly #incidents: IncidentTracker;
  readonly #quality = new QualityTally();
  readonly #rows: WindowRow[] = [];
  readonly #weights: { from: string; weight: number }[] = [];
  readonly #thresholds: { from: string; threshold_ms: number }[] = [];
  #dayIndex = 0;

  constructor(pool: string, month: CalendarMonth, windowMs: number) {
    this.#pool = pool;
    this.#month = month;
    this.#days = month.days.map(() => new Tally());
    this.#incidents = new IncidentTracker(month, windowMs);
  }

  add(window: TenantHistoryWindow): void {
    const { startMs, tenant } = window;
    while ((this.#month.days[this.#dayIndex]?.endMs ?? Number.POSITIVE_INFINITY) <= startMs) this.#dayIndex++;
    this.#total.add(window);
    this.#days[this.#dayIndex]?.add(window);
    this.#quality.add(window);
    if (tenant === null) return;
    this.#incidents.add(window);
    this.#addHour(window, tenant);
    this.#rows.push(rowOf(window, tenant));
    const from = new Date(startMs).toISOString();
    if (this.#weights.at(-1)?.weight !== tenant.weight) this.#weights.push({ from, weight: tenant.weight });
    if (this.#thresholds.at(-1)?.threshold_ms !== window.thresholdMs) {
      this.#thresholds.push({ from, threshold_ms: window.thresholdMs });
    }
  }

  #addHour({ startMs }: TenantHistoryWindow, tenant: TenantFigures): void {
    const date = this.#month.days[this.#dayIndex]?.date ?? '';
    const hour = new Date(startMs + segmentAt(this.#month.offsets, startMs).offsetMs).getUTCHours();
    const key = `${date} ${hour}`;
    const cell = this.#hours.get(key) ?? newHour({ date, hour, start: localTime(this.#month, startMs) });
    this.#hours.set(key, cell);
    cell.windows++;
    if (tenant.verdict === 'short') cell.windows_short++;
    if (tenant.verdict === 'unknown') cell.windows_unknown++;
    const { normalizedShare, waitP99Ms } = tenant;
    if (normalizedShare !== null) {
      cell.min_normalized_share = Math.min(cell.min_normalized_share ?? normalizedShare, normalizedShare);
    }
    if (waitP99Ms !== null) cell.max_window_p99_wait_ms = Math.max(cell.max_window_p99_wait_ms ?? 0, waitP99Ms);
  }

  /** Whether the tenant has any window here. */
  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  figures(progress: PoolProgress | undefined): PoolFigures {
    const { endMs, days } = this.#month;
    const capped = (atMs: number | null | undefined): string | null =>
      atMs === null || atMs === undefined ? null : new Date(Math.min(atMs, endMs)).toISOString();
    return {
      pool: this.#pool,
      cost_unit: this.#quality.newestCostUnit,
      weights: this.#weights,
      thresholds: this.#thresholds,
      computed_to: capped(progress?.computedToMs),
      watermark: capped(progress?.watermarkMs),
      totals: this.#total.totals(),
      days: days.map((day, index) => ({
        date: day.date,
        start: localTime(this.#month, day.startMs),
        end: localTime(this.#month, day.endMs),
        hours: (day.endMs - day.startMs) / HOUR_MS,
        totals: (this.#days[index] ?? new Tally()).totals(),
      })),
      hours: [...this.#hours.values()],
      wait_distribution: waitDistribution(this.#rows.flatMap((row) => row[WINDOW_COLUMN_INDEX.p99WaitMs] ?? [])),
      incidents: this.#incidents.incidents(),
      quality: this.#quality.quality(progress?.hoursNotComputed ?? 0),
      windows: { columns: [...WINDOW_COLUMNS], rows: this.#rows },
    };
  }
}

const HOUR_MS = 60 * 60 * 1000;

function newHour(of: Pick<ReportHour, 'date' | 'hour' | 'start'>): OpenHour {
  return {
    ...of,
    windows: 0,
    windows_short: 0,
    windows_unknown: 0,
    min_normalized_share: null,
    max_window_p99_wait_ms: null,
  };
}

/** In the order of `WINDOW_COLUMNS`. */
function rowOf(window: TenantHistoryWindow, tenant: TenantFigures): WindowRow {
  return [
    new Date(window.startMs).toISOString(),
    window.state,
    tenant.verdict,
    tenant.demandCost,
    tenant.fairShareCost,
    tenant.servedCost,
    tenant.normalizedShare,
    tenant.lagCost,
    tenant.requests,
    tenant.retries,
    { ...tenant.rejected },
    tenant.gaveUp,
    tenant.lost,
    tenant.quotaRefusedCost,
    tenant.waitP99Ms,
    tenant.waitMaxMs,
    tenant.waitSamples,
    window.thresholdMs,
    causesOf(window),
  ];
}
