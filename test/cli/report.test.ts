import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PoolWindows, TenantWindow, Window } from '../../analytics/index.ts';
import { type ReportDocument, reportHash } from '../../reports/index.ts';
import { EventLoop, noisyNeighbour, noisyNeighbourPolicy } from '../../scheduler-core/simulate/index.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';

// The noisy neighbour, from a log file to a tenant's monthly report: every figure of the report is that of
// `fairness --json`, added up.

const MINUTE_MS = 60_000;
/** 22:50 UTC, so that the log crosses midnight in Berlin, where another month begins, and not in London or Kolkata. */
const OPENED_AT_MS = Date.parse('2026-10-31T22:50:00Z');
const MINUTES = 20;
const RATE_SCALE = 0.05;
const HOSTILE = '=<b>x</b>{{y}},"z"';

interface Made {
  readonly reports: readonly {
    readonly tenant: string;
    readonly state: string;
    readonly sha256: string;
    readonly files: readonly { readonly format: string; readonly path: string; readonly changed: boolean }[];
  }[];
}

let sandbox: CliSandbox;
let fairness: PoolWindows;

beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('log.ndjson', noisyLog());
  await json('load', 'log.ndjson');
  await json('analyze');
  fairness = await json<PoolWindows>('fairness', '--from', '2026-10-01T00:00:00Z', '--to', '2026-12-02T00:00:00Z');
}, 300_000);
afterAll(() => sandbox.remove());

/** A hostile tenant is the last of the small ones. */
function noisyLog(): string {
  const loop = new EventLoop({
    arrivals: noisyNeighbour({
      seed: 1,
      rateScale: RATE_SCALE,
      serviceScale: 1 / RATE_SCALE,
      durationMs: MINUTES * MINUTE_MS,
      bursts: [{ fromMs: 2 * MINUTE_MS, toMs: 8 * MINUTE_MS }],
      originMs: OPENED_AT_MS,
    }),
    policy: noisyNeighbourPolicy('fifo', 1 / RATE_SCALE),
    slots: 8,
  });
  const lines: object[] = [{ schema: 'evenshare.pool.v1', pool: 'demo', at: OPENED_AT_MS, slots: 8 }];
  for (const ended of loop.advanceTo(OPENED_AT_MS + 2 * MINUTES * MINUTE_MS)) {
    const { request, endedAtMs } = ended;
    const tenant = request.tenant === 'small19' ? HOSTILE : request.tenant;
    const known = { request_id: request.id, pool: 'demo', tenant, arrived_at: Math.floor(request.arrivedAtMs) };
    lines.push(
      ended.outcome === 'served'
        ? {
            ...known,
            dispatched_at: Math.floor(ended.dispatchedAtMs),
            completed_at: Math.floor(endedAtMs),
            status: 'ok',
          }
        : { ...known, outcome: 'rejected', reason: ended.reason },
    );
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Runs a command with `--json`, which must print JSON on stdout and nothing on stderr. */
async function json<Value>(...args: readonly string[]): Promise<Value> {
  const { code, stdout, stderr } = await sandbox.run([...args, '--json', '--data-dir', 'data']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function report(tenant: string, month: string, zone: string) {
  const made = await json<Made>('report', '--tenant', tenant, '--month', month, '--tz', zone, '--out', 'reports');
  const [found] = made.reports;
  if (found === undefined) throw new Error('no report was made');
  const read = async (format: string): Promise<string> =>
    readFile(sandbox.path(found.files.find((file) => file.format === format)?.path ?? ''), 'utf8');
  const document: ReportDocument = JSON.parse(await read('json'));
  const [pool] = document.pools;
  if (pool === undefined) throw new Error('the report has no pool');
  return { found, document, pool, html: await read('html'), csv: await read('csv') };
}

interface Own {
  readonly window: Window;
  readonly tenant: TenantWindow;
}

/** What `fairness --json` says of a tenant in `[from, to)`. */
function windowsOf(name: string, from: string, to: string): Own[] {
  return fairness.windows
    .filter((window) => window.start >= from && window.start < to)
    .flatMap((window) =>
      window.tenants.filter((tenant) => tenant.tenant === name).map((tenant) => ({ window, tenant })),
    );
}

/** Added up in the order in which they are printed, as anybody would. */
const sum = (own: readonly Own[], of: (tenant: TenantWindow) => number | null): number =>
  own.reduce((total, { tenant }) => total + (of(tenant) ?? 0), 0);

const PERIODS = [
  ['2026-10', 'UTC', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', 21],
  ['2026-10', 'Asia/Kolkata', '2026-09-30T18:30:00.000Z', '2026-10-31T18:30:00.000Z', null],
  ['2026-11', 'Asia/Kolkata', '2026-10-31T18:30:00.000Z', '2026-11-30T18:30:00.000Z', 21],
  ['2026-10', 'Europe/Berlin', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z', 10],
  ['2026-11', 'Europe/Berlin', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z', 11],
] as const;

describe('the report of a month', () => {
  test.each(PERIODS)(
    '%s in %s has the figures of fairness --json from %s to %s, added up',
    async (month, zone, from, to, windows) => {
      if (windows === null) {
        const refused = await sandbox.run([
          'report',
          '--tenant',
          'heavy',
          '--month',
          month,
          '--tz',
          zone,
          '--data-dir',
          'data',
        ]);
        return expectRefusal(refused, 1, /"heavy" has no windows in 2026-10 \(Asia\/Kolkata\).*\[EVS_REPORT_EMPTY\]/);
      }
      for (const name of zone === 'UTC' ? ['small03', 'heavy', HOSTILE] : ['small03', 'heavy']) {
        const own = windowsOf(name, from, to);
        const { document, pool, csv } = await report(name, month, zone);
        const { totals } = pool;
        expect(totals.pool_windows).toBe(windows);
        expect([document.period.start_utc, document.period.end_utc]).toEqual([from, to]);
        const verdict = (which: string): number => own.filter(({ tenant }) => tenant.verdict === which).length;
        const shares = own.flatMap(({ tenant }) => tenant.normalized_share ?? []);
        const p99s = own.flatMap(({ tenant }) => tenant.wait_ms.p99 ?? []);
        const served = sum(own, (tenant) => tenant.served_cost);
        const fairShare = sum(own, (tenant) => tenant.fair_share_cost);
        const refused = own.reduce((total, { tenant }) => total + (tenant.rejected.queue_full ?? 0), 0);
        expect(totals).toMatchObject({
          windows: own.length,
          windows_with_demand: own.filter(({ tenant }) => (tenant.demand_cost ?? 0) > 0).length,
          verdicts: { fair: verdict('fair'), short: verdict('short'), over: verdict('over'), unknown: 0 },
          windows_under_90_percent: shares.filter((share) => share < 0.9).length,
          arrived_cost: sum(own, (tenant) => tenant.arrived_cost),
          demand_cost: sum(own, (tenant) => tenant.demand_cost),
          fair_share_cost: fairShare,
          served_cost: served,
          served_to_fair_share_ratio: served / fairShare,
          requests: sum(own, (tenant) => tenant.requests),
          retries: sum(own, (tenant) => tenant.retries),
          rejected: refused === 0 ? {} : { queue_full: refused },
          rejected_attempts: refused,
          wait_samples: sum(own, (tenant) => tenant.wait_ms.samples),
          windows_with_samples: p99s.length,
          windows_under_100_samples: own.filter(
            ({ tenant: { wait_ms: waits } }) => waits.p99 !== null && waits.samples < 100,
          ).length,
          windows_p99_over_threshold: own.filter(
            ({ window, tenant }) => (tenant.wait_ms.p99 ?? 0) > window.in_share.threshold_ms,
          ).length,
          max_wait_ms: Math.max(...own.flatMap(({ tenant }) => tenant.wait_ms.max ?? [])),
        });
        expect(totals.min_normalized_share?.value).toBe(Math.min(...shares));
        expect(totals.max_window_p99_wait_ms?.value).toBe(Math.max(...p99s));
        expect(document.verdict.figures).toMatchObject({
          windows_with_demand: totals.windows_with_demand,
          windows_short: verdict('short'),
          served_to_fair_share_ratio: served / fairShare,
          min_normalized_share: { ...totals.min_normalized_share, pool: 'demo' },
          windows_p99_over_threshold: totals.windows_p99_over_threshold,
          rejected_attempts: refused,
        });
        expect(pool.incidents.reduce((total, incident) => total + incident.windows, 0)).toBe(verdict('short'));

        const rows: Record<string, string>[] = parse(csv, { columns: true });
        expect(
          rows.map((row) => [
            row.window_start_utc,
            Number(row.demand_cost),
            Number(row.served_cost),
            Number(row.wait_p99_ms),
          ]),
        ).toEqual(
          own.map(({ window, tenant }) => [
            window.start,
            tenant.demand_cost,
            tenant.served_cost,
            tenant.wait_ms.p99 ?? 0,
          ]),
        );
        expect(rows.reduce((total, row) => total + Number(row.fair_share_cost), 0)).toBe(fairShare);
        expect(reportHash(document)).toBe(document.sha256);
      }
    },
  );

  test('tells the victim that it was served less than its share, and the flood that it was served more', async () => {
    const victim = await report('small03', '2026-10', 'UTC');
    expect(victim.document.verdict.status).toBe('short');
    expect(victim.document.verdict.sentence).toMatch(
      /^Over the month this tenant was served \d\d% of its fair share, .*refused\.$/,
    );
    const flood = await report('heavy', '2026-10', 'UTC');
    expect(flood.document.verdict.status).toBe('over');
    expect(flood.document.verdict.figures.served_to_fair_share_ratio).toBeGreaterThan(1.03);
    for (const made of [victim, flood]) {
      expect(made.html).toContain(made.document.verdict.sentence);
      expect(made.html).toContain(made.document.sha256);
      expect(made.document.state === 'FINAL').toBe(made.document.state_reasons.length === 0);
    }
  });

  test('names no other tenant, in any of its files', async () => {
    const others = [...new Set(fairness.windows.flatMap((window) => window.tenants.map(({ tenant }) => tenant)))];
    expect(others).toHaveLength(25);
    const { html, csv, document } = await report('small03', '2026-10', 'UTC');
    const text = html + csv + JSON.stringify(document);
    expect(others.filter((other) => other !== 'small03' && text.includes(other))).toEqual([]);
    expect(text).toContain('another tenant was served beyond its share');
  });

  test('writes nothing again for the same windows, and puts the reports of all tenants beside each other', async () => {
    const args = ['report', '--all-tenants', '--month', '2026-10', '--out', 'all', '--format', 'json'];
    const first = await json<Made>(...args);
    expect(first.reports).toHaveLength(25);
    expect(first.reports.flatMap(({ files }) => files.map(({ changed }) => changed))).toEqual(Array(25).fill(true));
    const again = await json<Made>(...args);
    expect(again.reports.flatMap(({ files }) => files.filter(({ changed }) => changed))).toEqual([]);
    expect(again.reports.map(({ sha256 }) => sha256)).toEqual(first.reports.map(({ sha256 }) => sha256));
    const names = await readdir(sandbox.path('all'));
    expect(names).toHaveLength(25);
    for (const name of names) expect(name).toMatch(/^evenshare-2026-10-[a-z0-9-]+\.json$/);
  });

  test('says to people what it made', async () => {
    const { code, stdout, stderr } = await sandbox.run([
      ...[
        'report',
        '--tenant',
        HOSTILE,
        '--month',
        '2026-10',
        '--format',
        'html',
        '--out',
        'told',
        '--data-dir',
        'data',
      ],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [name] = await readdir(sandbox.path('told'));
    expect(stdout).toMatch(
      /^=<b>x<\/b>\{\{y\}\},"z", 2026-10 \(UTC\), (DRAFT|FINAL): Over the month .*\n {2}wrote told\/.*\.html\n$/,
    );
    expect(stdout).toContain(`wrote ${join('told', String(name))}\n`);
  });
});

describe('words that are wrong', () => {
  test.each([
    [
      ['--tenant', 'heavy', '--month', '2026-13'],
      2,
      /--month "2026-13" is no month: write it as 2026-11 \[EVS_USAGE\]/,
    ],
    [
      ['--tenant', 'heavy', '--month', '2026-10', '--tz', 'Mars/Olympus'],
      2,
      /--tz "Mars\/Olympus" is no time zone: .* \[EVS_USAGE\]/,
    ],
    [
      ['--tenant', 'nobody', '--month', '2026-10'],
      2,
      /--tenant "nobody" is not in the store, which has windows of 25 tenants \[EVS_USAGE\]/,
    ],
    [
      ['--tenant', 'heavy', '--month', '2026-10', '--pool', 'x'],
      2,
      /--pool "x" is not in the store: it has demo \[EVS_USAGE\]/,
    ],
    [
      ['--all-tenants', '--month', '2026-10', '--pool', 'x'],
      2,
      /--pool "x" is not in the store: it has demo \[EVS_USAGE\]/,
    ],
    [['--month', '2026-10'], 2, /give either --tenant NAME or --all-tenants \[EVS_USAGE\]/],
    [['--tenant', 'heavy', '--all-tenants', '--month', '2026-10'], 2, /give either --tenant NAME or --all-tenants/],
    [
      ['--tenant', 'heavy', '--month', '2026-10', '--format', 'pdf'],
      2,
      /--format "pdf" is no format: choose of html, csv, json \[EVS_USAGE\]/,
    ],
    [
      ['--tenant', 'heavy', '--month', '2026-09'],
      1,
      /"heavy" has no windows in 2026-09 \(UTC\): its windows are from 2026-10-31T22:50:00.000Z to .* \[EVS_REPORT_EMPTY\]/,
    ],
    [['--all-tenants', '--month', '2026-09'], 1, /no tenant has windows in 2026-09 \(UTC\) \[EVS_REPORT_EMPTY\]/],
    [
      ['--tenant', 'heavy', '--month', '2026-10', '--out', 'log.ndjson'],
      1,
      /cannot write reports to "log.ndjson" \(EEXIST\): .* \[EVS_REPORT_UNWRITABLE\]/,
    ],
  ] as const)('%j: exit code %d', async (args, code, line) => {
    expectRefusal(await sandbox.run(['report', ...args, '--data-dir', 'data']), code, line);
  });

  test('an empty store has nothing to report', async () => {
    const refused = await sandbox.run(['report', '--tenant', 'a', '--month', '2026-10', '--data-dir', 'empty']);
    expectRefusal(refused, 1, /the store holds no windows to report \[EVS_REPORT_EMPTY\]/);
  });

  test('requests that are not computed are named as such', async () => {
    await sandbox.run(['load', 'log.ndjson', '--data-dir', 'raw']);
    const refused = await sandbox.run(['report', '--tenant', 'heavy', '--month', '2026-10', '--data-dir', 'raw']);
    expectRefusal(
      refused,
      1,
      /the month has requests that are not computed yet: run "evenshare analyze" \[EVS_REPORT_EMPTY\]/,
    );
  });
});
