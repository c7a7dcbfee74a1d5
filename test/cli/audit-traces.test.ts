import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest';
import type { PoolWindows, Window } from '../../analytics/index.ts';
import { plainRows, sharedTrace } from '../ingest/adapters/records.ts';
import { requirePart } from '../support/require-part.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { plainJobs } from './plain-jobs.ts';

// The public traces through `evenshare audit`, held against sums that the test makes from the files by itself.

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

async function audit(context: TestContext, trace: string, args: readonly string[]) {
  const path = requirePart(context, sharedTrace(trace));
  const { code, stdout, stderr } = await sandbox.run(['audit', path, '--json', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const result: PoolWindows = JSON.parse(stdout);
  return { path, result, windows: result.windows };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const servedCost = (windows: readonly Window[]): number =>
  sum(windows.map((window) => window.served_cost ?? Number.NaN));
const tenantsOf = (windows: readonly Window[]) => windows.flatMap((window) => window.tenants);
const namesOf = (windows: readonly Window[]): string[] =>
  [...new Set(tenantsOf(windows).map(({ tenant }) => tenant))].sort();

function byTenant<Row>(rows: readonly Row[], tenant: (row: Row) => string, value: (row: Row) => number) {
  const totals: Record<string, number> = {};
  for (const row of rows) totals[tenant(row)] = (totals[tenant(row)] ?? 0) + value(row);
  return totals;
}

/** To a millionth: sums of some thousand parts in another order. */
function expectSameTotals(actual: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, value] of Object.entries(expected)) {
    expect(Math.abs((actual[name] ?? 0) - value), name).toBeLessThanOrEqual(1e-6 * Math.max(1, value));
  }
}

describe('the VTC trace', () => {
  const TRACE = 'vtc/three_policies.csv.gz';
  const WINDOWS = ['--format', 'vtc', '--window', '60s', '--slots', '49'];
  const COLUMN = { tenant: 2, promptTokens: 3, outputTokens: 4, fcfsFirstTokenS: 5, rpm20FirstTokenS: 9 };
  const tenantOf = (row: readonly string[]): string => row[COLUMN.tenant] ?? '';
  const tokensOf = (row: readonly string[]): number =>
    Number(row[COLUMN.promptTokens]) + Number(row[COLUMN.outputTokens]);

  test('under fcfs is 1,500 requests of 27 tenants, whose whole cost is served', async (context) => {
    const { path, result, windows } = await audit(context, TRACE, [...WINDOWS, '--option', 'policy=fcfs']);
    const rows = plainRows(path);
    expect(result.quality).toMatchObject({ accepted: 1_500, duplicate: 0, conflict: 0, skewed: 0, rejected: {} });
    expect(sum(windows.map(({ requests }) => requests))).toBe(1_500);
    expect(namesOf(windows)).toEqual([...new Set(rows.map(tenantOf))].sort());
    expect(namesOf(windows)).toHaveLength(27);
    expect(windows.every((window) => window.cost_unit === 'tokens')).toBe(true);
    expect(servedCost(windows)).toBeCloseTo(sum(rows.map(tokensOf)), 3);
    expectSameTotals(
      byTenant(
        tenantsOf(windows),
        ({ tenant }) => tenant,
        (tenant) => tenant.served_cost ?? Number.NaN,
      ),
      byTenant(rows, tenantOf, tokensOf),
    );
  });

  test('has waits that are bounded by the time to the first token, and says so wherever it shows one', async (context) => {
    const { path, windows } = await audit(context, TRACE, [...WINDOWS, '--option', 'policy=fcfs']);
    const withWaits = [...windows, ...tenantsOf(windows)].filter(({ wait_ms: wait }) => wait.samples > 0);
    expect(new Set(withWaits.map(({ wait_ms: wait }) => wait.provenance))).toEqual(new Set(['bounded']));
    expect(sum(windows.map(({ wait_ms: wait }) => wait.samples))).toBe(1_500);
    const longestS = Math.max(...plainRows(path).map((row) => Number(row[COLUMN.fcfsFirstTokenS])));
    // Arrival and first token are rounded to the millisecond, each by itself.
    expect(Math.abs(Math.max(...windows.map(({ wait_ms: wait }) => wait.max ?? 0)) - longestS * 1_000)).toBeLessThan(2);
  });

  test('under rpm20 refuses by quota exactly the requests without times, and serves the cost of the others', async (context) => {
    const { path, result, windows } = await audit(context, TRACE, [...WINDOWS, '--option', 'policy=rpm20']);
    const rows = plainRows(path);
    const refused = rows.filter((row) => row[COLUMN.rpm20FirstTokenS] === '');
    const ran = rows.filter((row) => row[COLUMN.rpm20FirstTokenS] !== '');
    expect(refused.length).toBeGreaterThan(100);
    expect(result.quality).toMatchObject({ accepted: 1_500, rejected: {} });
    const refusals = tenantsOf(windows).filter(({ rejected }) => Object.keys(rejected).length > 0);
    expect(new Set(refusals.flatMap(({ rejected }) => Object.keys(rejected)))).toEqual(new Set(['quota']));
    expectSameTotals(
      byTenant(
        refusals,
        ({ tenant }) => tenant,
        ({ rejected }) => rejected.quota ?? 0,
      ),
      byTenant(refused, tenantOf, () => 1),
    );
    expectSameTotals(
      byTenant(
        refusals,
        ({ tenant }) => tenant,
        (tenant) => tenant.quota_refused_cost,
      ),
      byTenant(refused, tenantOf, tokensOf),
    );
    expect(servedCost(windows)).toBeCloseTo(sum(ran.map(tokensOf)), 3);
  });
});

describe('the HPC2N trace', () => {
  const TRACE = 'swf/hpc2n_slice.swf.gz';
  const ARGS = ['--format', 'swf', '--window', '1d', '--slots', '240'];

  test('is jobs of users on processors: the cost is processors × run time, the waits are the recorded ones', async (context) => {
    const { path, result, windows } = await audit(context, TRACE, ARGS);
    const jobs = plainJobs(path);
    expect(result.quality).toMatchObject({ accepted: jobs.length, duplicate: 0, rejected: {} });
    expect(jobs).toHaveLength(3_170);
    expect(namesOf(windows)).toEqual([...new Set(jobs.map((job) => job.user))].sort());
    expect(windows.every((window) => window.cost_unit === 'service_ms')).toBe(true);
    // 25 jobs have no run time: requests that never ended, closed as lost; what they took is an estimate.
    const unknown = jobs.filter((job) => job.runS === null);
    const guessed = new Set(unknown.map((job) => job.user));
    expect(unknown).toHaveLength(25);
    expectSameTotals(
      byTenant(
        tenantsOf(windows).filter(({ lost }) => lost > 0),
        ({ tenant }) => tenant,
        ({ lost }) => lost,
      ),
      byTenant(
        unknown,
        (job) => job.user,
        () => 1,
      ),
    );
    expectSameTotals(
      byTenant(
        tenantsOf(windows).filter(({ tenant }) => !guessed.has(tenant)),
        ({ tenant }) => tenant,
        (tenant) => tenant.served_cost ?? Number.NaN,
      ),
      byTenant(
        jobs.filter((job) => !guessed.has(job.user)),
        (job) => job.user,
        (job) => job.processors * (job.runS ?? Number.NaN) * 1_000,
      ),
    );
    expect(servedCost(windows)).toBeGreaterThan(sum(jobs.map((job) => job.processors * (job.runS ?? 0) * 1_000)));
    const waits = windows.flatMap(({ wait_ms: wait }) => (wait.samples > 0 ? [wait] : []));
    expect(new Set(waits.map(({ provenance }) => provenance))).toEqual(new Set(['measured']));
    expect(sum(waits.map(({ samples }) => samples))).toBe(jobs.length);
    expect(Math.max(...waits.map(({ max }) => max ?? 0))).toBe(Math.max(...jobs.map((job) => job.waitS)) * 1_000);
  });
});

describe('the Azure trace', () => {
  test('names no tenants and has no waits: every verdict is unknown for both, and no figure of theirs is a number', async (context) => {
    const trace = 'azure-llm-2023/AzureLLMInferenceTrace_conv.csv.gz';
    const { path, result, windows } = await audit(context, trace, ['--format', 'azure-llm', '--slots', '8']);
    const rows = plainRows(path);
    expect(result.quality).toMatchObject({ accepted: rows.length, rejected: {} });
    expect(rows).toHaveLength(19_366);
    const busy = windows.filter(({ requests }) => requests > 0);
    expect(sum(busy.map(({ requests }) => requests))).toBe(rows.length);
    for (const window of busy) {
      expect(window.verdict_reasons).toEqual(expect.arrayContaining(['no_tenants', 'no_waits']));
      expect(window).toMatchObject({
        verdict: 'unknown',
        jain_index: null,
        jain_index_reason: 'no_tenants',
        min_normalized_share: null,
        min_normalized_share_reason: 'no_tenants',
        served_cost: null,
        served_cost_reason: 'no_waits',
        capacity: { cost: null, basis: 'unknown', reason: 'no_waits' },
        utilization_ratio: null,
        utilization_reason: 'no_waits',
        in_share: { p99_wait_ms: null, p99_wait_reason: 'no_tenants', samples: 0 },
        wait_ms: { p50: null, p95: null, p99: null, max: null, samples: 0, provenance: 'absent', reason: 'no_waits' },
      });
      expect(window.tenants).toHaveLength(1);
      expect(window.tenants[0]).toMatchObject({
        tenant: '-',
        verdict: 'unknown',
        fair_share_cost: null,
        served_cost: null,
        normalized_share: null,
        in_share: null,
        lag_cost: null,
        backlog_cost: null,
      });
    }
  });
});
