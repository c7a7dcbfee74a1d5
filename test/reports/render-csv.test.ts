import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { calendarMonth } from '../../reports/calendar/month.ts';
import { csvCell, type Locale, openLocale, type ReportDocument, readReport, renderCsv } from '../../reports/index.ts';
import { CSV_COLUMNS } from '../../reports/render-csv.ts';
import { DAY_MS, fakeHistory, figures, historyWindow, MINUTE_MS } from './fake-history.ts';
import { anyName, HOSTILE_NAMES } from './hostile-names.ts';

const MONTH = calendarMonth('2026-10', 'Europe/Berlin');
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

let locale: Locale;
beforeAll(async () => {
  locale = await openLocale('en');
});

function reportOf(tenant: string, pool = 'p'): Promise<ReportDocument> {
  const windows = [
    historyWindow(
      MONTH.startMs,
      figures({ verdict: 'short', rejected: { queue_full: 2, quota: 1 }, demandCost: 0.1 }),
      {
        othersOverServed: 1,
      },
    ),
    historyWindow(MONTH.startMs + MINUTE_MS, null),
    historyWindow(
      MONTH.startMs + 26 * DAY_MS,
      figures({ verdict: 'unknown', fairShareCost: null, servedCost: 1e-7, normalizedShare: null, waitP99Ms: null }),
    ),
  ];
  const reader = fakeHistory([tenant, new Map([[pool, windows]])]);
  return readReport(reader, { tenant, month: MONTH, pool: null, nowMs: MONTH.endMs + 9 * DAY_MS, locale });
}

const read = (csv: string): Record<string, string>[] => parse(csv, { columns: true, relax_column_count: false });

describe('the table of a report', () => {
  it('has one row for each window in which the tenant was, in local time and UTC, unknown figures empty', async () => {
    const rows = read(renderCsv(await reportOf('acme')));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      tenant: 'acme',
      pool: 'p',
      window_start: '2026-10-01T00:00:00+02:00',
      window_start_utc: '2026-09-30T22:00:00.000Z',
      window_seconds: '60',
      state: 'final',
      verdict: 'short',
      cost_unit: 'requests',
      demand_cost: '0.1',
      fair_share_cost: '10',
      served_cost: '10',
      normalized_share: '1',
      lag_cost: '0',
      requests: '10',
      retries: '0',
      rejected_attempts: '3',
      rejected_by_reason: 'queue_full:2 quota:1',
      gave_up: '0',
      lost: '0',
      quota_refused_cost: '0',
      wait_p99_ms: '20',
      wait_max_ms: '25',
      wait_samples: '120',
      wait_threshold_ms: '500',
      causes: 'over_served',
    });
    expect(rows[1]).toMatchObject({
      window_start: '2026-10-26T23:00:00+01:00',
      fair_share_cost: '',
      normalized_share: '',
      wait_p99_ms: '',
      served_cost: '1e-7',
    });
  });

  it('is RFC 4180: CRLF after every line, as many cells in each', async () => {
    const csv = renderCsv(await reportOf('a,"b"\u2028c'));
    expect(csv.endsWith('\r\n')).toBe(true);
    expect(csv.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(csv.split('\r\n')[0]).toBe(CSV_COLUMNS.join(','));
  });

  it('brings any name back as it was, but for an apostrophe before what a spreadsheet would compute', async () => {
    await fc.assert(
      fc.asyncProperty(anyName(), anyName(), async (tenant, pool) => {
        const csv = renderCsv(await reportOf(tenant, pool));
        const [row] = read(csv);
        expect(row?.tenant).toBe(FORMULA.test(tenant) ? `'${tenant}` : tenant);
        expect(row?.pool).toBe(FORMULA.test(pool) ? `'${pool}` : pool);
        for (const cell of Object.values(row ?? {})) expect(FORMULA.test(cell), cell).toBe(false);
      }),
      { numRuns: 200, seed: 5, examples: HOSTILE_NAMES.map((name): [string, string] => [name, name]) },
    );
  });
});

describe('a cell', () => {
  it.each([
    [-1.5, '-1.5', 'a number stays a number, its sign included'],
    [0, '0', 'zero is known'],
    [null, '', 'unknown is empty'],
    ['-1', "'-1", 'a text that looks like one does not'],
    ['=1+1', "'=1+1", 'a formula is text'],
    ['@x', "'@x", 'another'],
    ['\t=1', `"'\t=1"`, 'a tab before it'],
    ['\r=1', `"'\r=1"`, 'a line end before it'],
    ['a"b', '"a""b"', 'quotes are doubled'],
    ['a;b', '"a;b"', 'a separator of other countries'],
    [' a', '" a"', 'spaces at the ends are kept'],
    ['a=1', 'a=1', 'only the beginning counts'],
  ] satisfies [string | number | null, string, string][])('%j is written %j: %s', (value, written, _why) => {
    expect(csvCell(value)).toBe(written);
  });
});
