import { Ajv } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TenantHistoryWindow } from '../../analytics/index.ts';
import { calendarMonth } from '../../reports/calendar/month.ts';
import {
  formatReportJson,
  type Locale,
  openLocale,
  type ReportDocument,
  ReportDocumentSchema,
  readReport,
  reportHash,
} from '../../reports/index.ts';
import { WINDOW_COLUMN_INDEX, WINDOW_COLUMNS } from '../../reports/report-document.ts';
import { seededRandom } from '../../scheduler-core/kernel/index.ts';
import { DAY_MS, fakeHistory, figures, HOUR_MS, historyWindow, MINUTE_MS, randomHistory } from './fake-history.ts';

const validate = new Ajv({ strict: false, validateFormats: false }).compile(ReportDocumentSchema);
const MONTH = calendarMonth('2026-10', 'Europe/Berlin');
const LATER_MS = MONTH.endMs + 30 * DAY_MS;

let locale: Locale;
beforeAll(async () => {
  locale = await openLocale('en');
});

async function reportOf(
  windows: readonly TenantHistoryWindow[],
  nowMs = LATER_MS,
  month = MONTH,
): Promise<ReportDocument> {
  const reader = fakeHistory(['a', new Map([['p', windows]])]);
  return readReport(reader, { tenant: 'a', month, pool: null, nowMs, locale });
}

function poolOf(document: ReportDocument) {
  const [pool] = document.pools;
  if (pool === undefined) throw new Error('the report has no pool');
  return pool;
}

/** The slow way: filter, then add in time order. */
const addUp = (
  windows: readonly TenantHistoryWindow[],
  of: (window: TenantHistoryWindow) => number | null | undefined,
): number => windows.reduce((total, window) => total + (of(window) ?? 0), 0);

describe('the figures of a report', () => {
  it('are those of its windows, added up, over any history (months of 28 to 31 days, 23 to 25 hours)', async () => {
    const months = [
      calendarMonth('2026-10', 'Europe/Berlin'),
      calendarMonth('2026-02', 'UTC'),
      calendarMonth('2018-11', 'America/Sao_Paulo'),
      calendarMonth('2026-03', 'Asia/Kolkata'),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.constantFrom(...months),
        fc.integer({ min: 1, max: 400 }),
        async (seed, month, windows) => {
          const history = randomHistory(seededRandom(seed), { fromMs: month.startMs, toMs: month.endMs, windows });
          const own = history.filter((window) => window.tenant !== null);
          if (own.length === 0) return;
          const document = await reportOf(history, LATER_MS, month);
          expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
          const pool = poolOf(document);
          const { totals } = pool;
          const known = own.filter(({ tenant }) => tenant?.fairShareCost != null && tenant.servedCost != null);
          const served = addUp(known, (window) => window.tenant?.servedCost);
          const fairShare = addUp(known, (window) => window.tenant?.fairShareCost);
          const shares = own.flatMap((window) => window.tenant?.normalizedShare ?? []);
          const count = (has: (window: TenantHistoryWindow) => boolean): number => own.filter(has).length;
          expect(totals).toMatchObject({
            pool_windows: history.length,
            windows: own.length,
            windows_with_demand: count(({ tenant }) => (tenant?.demandCost ?? 0) > 0),
            demand_cost: addUp(own, (window) => window.tenant?.demandCost),
            quota_refused_cost: addUp(own, (window) => window.tenant?.quotaRefusedCost),
            compared: { windows: known.length, served_cost: served, fair_share_cost: fairShare },
            served_to_fair_share_ratio: fairShare > 0 ? served / fairShare : null,
            windows_under_90_percent: shares.filter((share) => share < 0.9).length,
            requests: addUp(own, (window) => window.tenant?.requests),
            rejected_attempts: addUp(own, ({ tenant }) =>
              Object.values(tenant?.rejected ?? {}).reduce((a, b) => a + b, 0),
            ),
            wait_samples: addUp(own, (window) => window.tenant?.waitSamples),
            windows_p99_over_threshold: count(({ tenant, thresholdMs }) => (tenant?.waitP99Ms ?? 0) > thresholdMs),
          });
          expect(totals.min_normalized_share?.value ?? null).toBe(shares.length === 0 ? null : Math.min(...shares));
          for (const verdict of ['fair', 'short', 'over', 'capped', 'idle', 'unknown'] as const) {
            expect(totals.verdicts[verdict]).toBe(count(({ tenant }) => tenant?.verdict === verdict));
          }
          expect(pool.quality.windows_provisional).toBe(
            history.filter((window) => window.state === 'provisional').length,
          );
          expect(pool.windows.rows.map((row) => row[0])).toEqual(
            own.map(({ startMs }) => new Date(startMs).toISOString()),
          );
          for (const [index, day] of pool.days.entries()) {
            const bounds = month.days[index];
            const inside = own.filter(
              ({ startMs }) => startMs >= (bounds?.startMs ?? 0) && startMs < (bounds?.endMs ?? 0),
            );
            expect(day.date).toBe(bounds?.date);
            expect(day.totals).toMatchObject({
              windows: inside.length,
              demand_cost: addUp(inside, (window) => window.tenant?.demandCost),
              requests: addUp(inside, (window) => window.tenant?.requests),
            });
          }
          const sumOfDays = (of: (day: (typeof pool.days)[number]) => number) =>
            pool.days.reduce((sum, day) => sum + of(day), 0);
          expect(sumOfDays((day) => day.totals.windows)).toBe(own.length);
          expect(sumOfDays((day) => day.totals.rejected_attempts)).toBe(totals.rejected_attempts);
          expect(sumOfDays((day) => day.totals.demand_cost)).toBeCloseTo(totals.demand_cost, 4);
          expect(pool.hours.reduce((sum, hour) => sum + hour.windows, 0)).toBe(own.length);
          expect(pool.wait_distribution.reduce((sum, bucket) => sum + bucket.windows, 0)).toBe(
            totals.windows_with_samples,
          );
        },
      ),
      { numRuns: 60, seed: 3 },
    );
  });

  it('hold incidents that are exactly the runs of consecutive short windows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('s', 'f', '.', ' '), { minLength: 1, maxLength: 60 }),
        async (shape) => {
          if (!shape.some((each) => each === 's' || each === 'f')) return;
          // s: short, f: fair, '.': the pool has a window and the tenant none, ' ': no window is stored.
          const history = shape.flatMap((each, index) => {
            const startMs = MONTH.startMs + index * MINUTE_MS;
            if (each === ' ') return [];
            return [
              historyWindow(startMs, each === '.' ? null : figures({ verdict: each === 's' ? 'short' : 'fair' })),
            ];
          });
          const runs = [...shape.join('').matchAll(/s+/g)].map((run) => ({
            start: MONTH.startMs + run.index * MINUTE_MS,
            windows: run[0].length,
          }));
          const { incidents } = poolOf(await reportOf(history));
          expect(
            incidents.map((incident) => ({ start: Date.parse(incident.start), windows: incident.windows })),
          ).toEqual(runs);
          for (const incident of incidents) {
            expect(Date.parse(incident.end) - Date.parse(incident.start)).toBe(incident.windows * MINUTE_MS);
          }
        },
      ),
      { numRuns: 100, seed: 4 },
    );
  });

  it('say of an incident how bad it was, and why, without another tenant’s name', async () => {
    const short = { verdict: 'short' } as const;
    const { incidents, verdict } = poolOf(
      await reportOf([
        historyWindow(
          MONTH.startMs,
          figures({ ...short, normalizedShare: 0.4, waitP99Ms: 900, servedCost: 4, lagCost: 6 }),
          {
            othersOverServed: 2,
          },
        ),
        historyWindow(
          MONTH.startMs + MINUTE_MS,
          figures({ ...short, normalizedShare: 0.2, waitP99Ms: 700, servedCost: 2, lagCost: 9 }),
          {
            othersOverServed: 1,
            otherCauses: ['idle_slots'],
          },
        ),
      ]),
    );
    expect(incidents).toEqual([
      {
        start: '2026-10-01T00:00:00+02:00',
        end: '2026-10-01T00:02:00+02:00',
        windows: 2,
        fair_share_cost: 20,
        served_cost: 6,
        max_lag_cost: 9,
        worst_normalized_share: { value: 0.2, window: '2026-09-30T22:01:00.000Z' },
        worst_p99_wait_ms: { value: 900, window: '2026-09-30T22:00:00.000Z' },
        causes: { idle_slots: 1, over_served: 2 },
      },
    ]);
    expect(verdict.sentence).toBe(
      'Over the month this tenant was served 30% of its fair share, and it was short in 2 windows; in all of them another tenant was served beyond its share.',
    );
  });

  it('put an hour that the clock shows twice in one cell, and count it in its day', async () => {
    const fallBackMs = Date.parse('2026-10-25T00:30:00Z'); // 02:30 +02:00, and an hour later 02:30 +01:00
    const pool = poolOf(
      await reportOf([
        historyWindow(fallBackMs, figures({ normalizedShare: 0.9 })),
        historyWindow(fallBackMs + HOUR_MS, figures({ normalizedShare: 0.5 })),
      ]),
    );
    expect(pool.hours).toMatchObject([{ date: '2026-10-25', hour: 2, windows: 2, min_normalized_share: 0.5 }]);
    expect(pool.days.find((day) => day.date === '2026-10-25')).toMatchObject({
      hours: 25,
      start: '2026-10-25T00:00:00+02:00',
      end: '2026-10-26T00:00:00+01:00',
      totals: { windows: 2 },
    });
  });

  it('are null with a reason where they cannot be known, never 0', async () => {
    const { totals, verdict } = poolOf(
      await reportOf([
        historyWindow(
          MONTH.startMs,
          figures({
            verdict: 'unknown',
            fairShareCost: null,
            servedCost: null,
            normalizedShare: null,
            lagCost: null,
            waitP99Ms: null,
            waitMaxMs: null,
            waitSamples: 0,
          }),
          { verdict: 'unknown', verdictReasons: ['no_capacity', 'brand_new'] },
        ),
      ]),
    );
    expect(totals).toMatchObject({
      fair_share_cost: null,
      fair_share_reason: 'no_known_window',
      served_cost: null,
      served_reason: 'no_known_window',
      served_to_fair_share_ratio: null,
      served_to_fair_share_reason: 'no_known_window',
      min_normalized_share: null,
      min_normalized_share_reason: 'no_known_window',
      max_window_p99_wait_ms: null,
      max_window_p99_wait_reason: 'no_samples',
    });
    expect(verdict.status).toBe('unknown');
    expect(verdict.sentence).toBe("This month cannot be judged: brand new; the pool's capacity is not known.");
  });

  it('of several pools are not added where their units may differ', async () => {
    const reader = fakeHistory([
      'a',
      new Map([
        ['p', [historyWindow(MONTH.startMs, figures({ normalizedShare: 0.5, servedCost: 5, verdict: 'short' }))]],
        ['q', [historyWindow(MONTH.startMs, figures({ rejected: { quota: 3 } }), { costUnit: 'tokens' })]],
      ]),
    ]);
    const request = { tenant: 'a', month: MONTH, nowMs: LATER_MS, locale };
    const document = await readReport(reader, { ...request, pool: null });
    expect(document.verdict).toEqual({
      status: 'short',
      sentence: 'In 1 of 2 pools this tenant was served less than its fair share over the month.',
      figures: {
        windows_with_demand: 2,
        windows_short: 1,
        served_to_fair_share_ratio: null,
        served_to_fair_share_reason: 'several_pools',
        min_normalized_share: { value: 0.5, window: '2026-09-30T22:00:00.000Z', pool: 'p' },
        windows_p99_over_threshold: 0,
        rejected_attempts: 3,
      },
    });
    expect((await readReport(reader, { ...request, pool: 'q' })).pools.map((pool) => pool.pool)).toEqual(['q']);
  });
});

describe('a report', () => {
  const history = randomHistory(seededRandom(11), { fromMs: MONTH.startMs, toMs: MONTH.endMs, windows: 300 }).map(
    (window): TenantHistoryWindow => ({ ...window, state: 'final' }),
  );

  it('is the same bytes for the same windows, whenever it is made once it is final', async () => {
    const one = formatReportJson(await reportOf(history));
    expect(formatReportJson(await reportOf(history, LATER_MS + 365 * DAY_MS))).toBe(one);
  });

  it('carries the hash of itself, which any change breaks', async () => {
    const document = await reportOf(history);
    const read = JSON.parse(formatReportJson(document));
    expect(read).toEqual(document);
    expect(reportHash(read)).toBe(document.sha256);
    read.pools[0].windows.rows[0][3] += 1e-9;
    expect(reportHash(read)).not.toBe(document.sha256);
  });

  it.each([
    [-1, [], 'DRAFT', ['month_not_over'], 'its last day is not over'],
    [0, [], 'DRAFT', ['settling'], 'events may still come late'],
    [3 * DAY_MS - 1, [], 'DRAFT', ['settling'], 'a ms before three days'],
    [3 * DAY_MS, [], 'FINAL', [], 'three days after'],
    [3 * DAY_MS, ['provisional'], 'DRAFT', ['provisional_windows'], 'a window may change'],
    [3 * DAY_MS, ['missing'], 'DRAFT', ['windows_not_computed'], 'requests are not computed'],
    [
      -1,
      ['provisional', 'missing'],
      'DRAFT',
      ['month_not_over', 'provisional_windows', 'windows_not_computed'],
      'all of it',
    ],
  ] as const)('%d ms after its month, with %j, is %s %j: %s', async (afterMs, faults, state, reasons, _why) => {
    const isProvisional = faults.some((fault) => fault === 'provisional');
    const windows = isProvisional ? history.map((window) => ({ ...window, state: 'provisional' as const })) : history;
    const reader = fakeHistory(['a', new Map([['p', windows]])]);
    reader.hoursNotComputed = faults.some((fault) => fault === 'missing') ? 2 : 0;
    const document = await readReport(reader, {
      tenant: 'a',
      month: MONTH,
      pool: null,
      nowMs: MONTH.endMs + afterMs,
      locale,
    });
    expect([document.state, document.state_reasons]).toEqual([state, reasons]);
  });

  it('has the columns of its windows where charts look for them', () => {
    const { start, p99WaitMs, thresholdMs } = WINDOW_COLUMN_INDEX;
    expect([start, p99WaitMs, thresholdMs].map((index) => WINDOW_COLUMNS[index])).toEqual([
      'start',
      'wait_p99_ms',
      'threshold_ms',
    ]);
  });

  it('names its period with the zone’s offsets', async () => {
    expect((await reportOf(history)).period).toEqual({
      month: '2026-10',
      time_zone: 'Europe/Berlin',
      start: '2026-10-01T00:00:00+02:00',
      end: '2026-11-01T00:00:00+01:00',
      start_utc: '2026-09-30T22:00:00.000Z',
      end_utc: '2026-10-31T23:00:00.000Z',
      days: 31,
      hours: 745,
      offsets: [
        { from: '2026-09-30T22:00:00.000Z', offset: '+02:00' },
        { from: '2026-10-25T01:00:00.000Z', offset: '+01:00' },
      ],
    });
  });

  it.each([
    [
      [{}, {}],
      'fair',
      'This tenant got its fair share, 100% of it over the month, and was short in none of its 2 windows with demand.',
    ],
    [
      [{ servedCost: 15, verdict: 'over' }, {}],
      'over',
      'Over the month this tenant was served 125% of its fair share, and beyond its share in 1 window.',
    ],
    [
      [{ servedCost: 15, verdict: 'over' }, { verdict: 'short' }],
      'over',
      'Over the month this tenant was served 125% of its fair share, and beyond its share in 1 window; it was short in 1 window all the same.',
    ],
    [
      [{ servedCost: 2, rejected: { queue_full: 8 } }, {}],
      'short',
      'Over the month this tenant was served 60% of its fair share; 40% of its attempts were refused.',
    ],
    [
      [{ verdict: 'short' }, {}],
      'short_at_times',
      'Over the month this tenant was served 100% of its fair share, but it was short in 1 window.',
    ],
    [
      [{ verdict: 'capped', rejected: { quota: 5 } }, {}],
      'capped',
      'This tenant got its fair share, 100% of it over the month; its own quota held it back in 1 window.',
    ],
    [
      [{ verdict: 'idle', demandCost: 0, fairShareCost: 0, servedCost: 0, normalizedShare: null }],
      'idle',
      'This tenant had no demand in this month.',
    ],
    [
      [{ verdict: 'unknown', fairShareCost: null, normalizedShare: null }, {}],
      'fair',
      'This tenant got its fair share, 100% of it over the month, and was short in none of its 2 windows with demand; 1 window cannot be judged.',
    ],
  ] as const)('of %j is "%s": %s', async (given, status, sentence) => {
    const windows = given.map((each, index) => historyWindow(MONTH.startMs + 2 * index * MINUTE_MS, figures(each)));
    const { verdict } = await reportOf(windows);
    expect([verdict.status, verdict.sentence]).toEqual([status, sentence]);
  });
});

describe('nothing to report', () => {
  const stored = fakeHistory(
    ['a', new Map([['p', [historyWindow(MONTH.startMs, figures())]]])],
    ['b', new Map([['q', [historyWindow(MONTH.startMs, figures())]]])],
  );
  const ask = (given: { tenant: string; pool?: string; month?: string }) =>
    readReport(stored, {
      tenant: given.tenant,
      month: calendarMonth(given.month ?? '2026-10', 'Europe/Berlin'),
      pool: given.pool ?? null,
      nowMs: LATER_MS,
      locale,
    });

  it.each([
    [
      { tenant: 'c' },
      'EVS_USAGE',
      '--tenant "c" is not in the store, which has windows of 2 tenants',
      'an unknown tenant',
    ],
    [{ tenant: 'a', pool: 'r' }, 'EVS_USAGE', '--pool "r" is not in the store: it has p, q', 'an unknown pool'],
    [
      { tenant: 'a', month: '2026-09' },
      'EVS_REPORT_EMPTY',
      '"a" has no windows in 2026-09 (Europe/Berlin): its windows are from 2026-09-30T22:00:00.000Z to 2026-09-30T22:01:00.000Z',
      'a month without data',
    ],
    [
      { tenant: 'a', pool: 'q' },
      'EVS_REPORT_EMPTY',
      '"a" has no windows in 2026-10 (Europe/Berlin) in pool "q": its windows are from 2026-09-30T22:00:00.000Z to 2026-09-30T22:01:00.000Z',
      'a pool that it is not in',
    ],
  ] as const)('for %j is %s: %s (%s)', async (given, code, message, _why) => {
    await expect(ask(given)).rejects.toMatchObject({ code, message });
  });

  it('says that requests wait to be computed', async () => {
    const empty = fakeHistory(['a', new Map([['p', []]])]);
    empty.hoursNotComputed = 3;
    await expect(
      readReport(empty, { tenant: 'a', month: MONTH, pool: null, nowMs: LATER_MS, locale }),
    ).rejects.toMatchObject({ message: expect.stringContaining('run "evenshare analyze"') });
  });
});
