import { formatLocal, parseOffset, segmentAt } from './calendar/time-zone.ts';
import type { ReportDocument, WindowRow } from './report-document.ts';

/** The columns of the table, one row for each window in which the tenant had demand, waited, was served or was refused. */
export const CSV_COLUMNS = [
  'tenant',
  'pool',
  'window_start',
  'window_start_utc',
  'window_seconds',
  'state',
  'verdict',
  'cost_unit',
  'demand_cost',
  'fair_share_cost',
  'served_cost',
  'normalized_share',
  'lag_cost',
  'requests',
  'retries',
  'rejected_attempts',
  'rejected_by_reason',
  'gave_up',
  'lost',
  'quota_refused_cost',
  'wait_p99_ms',
  'wait_max_ms',
  'wait_samples',
  'wait_threshold_ms',
  'causes',
] as const;

const CRLF = '\r\n';

/** The windows of a report as RFC 4180: UTF-8, CRLF, a header. An unknown figure is an empty cell, never 0. */
export function renderCsv(document: ReportDocument): string {
  const offsets = document.period.offsets.map(({ from, offset }) => ({
    fromMs: Date.parse(from),
    offsetMs: parseOffset(offset),
  }));
  const lines = [CSV_COLUMNS.join(',')];
  for (const pool of document.pools) {
    for (const row of pool.windows.rows) {
      const startMs = Date.parse(row[0]);
      const local = formatLocal(startMs, segmentAt(offsets, startMs).offsetMs);
      const head = [
        document.tenant,
        pool.pool,
        local,
        row[0],
        document.window_ms / 1000,
        row[1],
        row[2],
        pool.cost_unit,
      ];
      lines.push([...head, ...figureCells(row)].map(csvCell).join(','));
    }
  }
  return `${lines.join(CRLF)}${CRLF}`;
}

/**
 * One cell. A number stays a number. Text that a spreadsheet would take for a formula (`=`, `+`, `-`, `@`, also full
 * width, tab, line ends) begins with an apostrophe; quotes stand around what needs them.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function figureCells(row: WindowRow): (string | number | null)[] {
  const [, , , demand, fairShare, served, share, lag, requests, retries, rejected, gaveUp, lost, ...rest] = row;
  const [quotaRefused, p99Ms, maxMs, samples, thresholdMs, causes] = rest;
  const reasons = Object.entries(rejected);
  return [
    demand,
    fairShare,
    served,
    share,
    lag,
    requests,
    retries,
    reasons.reduce((total, [, refused]) => total + refused, 0),
    reasons.map(([reason, refused]) => `${reason}:${refused}`).join(' '),
    gaveUp,
    lost,
    quotaRefused,
    p99Ms,
    maxMs,
    samples,
    thresholdMs,
    causes.join(' '),
  ];
}
