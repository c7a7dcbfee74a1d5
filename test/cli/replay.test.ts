import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventLoop, noisyNeighbour, noisyNeighbourPolicy, type ReplayResult } from '../../scheduler-core/index.ts';
import { sharedTrace } from '../ingest/adapters/records.ts';
import { requirePart } from '../support/require-part.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';

const BASE_MS = 1_790_848_800_000;

let sandbox: CliSandbox;
let log: string;
/** One request of four slots. */
let small: string;
beforeAll(async () => {
  sandbox = await cliSandbox();
  log = await sandbox.write('fifo.ndjson', gatewayLog());
  const served = { tenant: 'a', arrived_at: BASE_MS, dispatched_at: BASE_MS, completed_at: BASE_MS + 5 };
  small = await sandbox.write(
    'small.ndjson',
    `${JSON.stringify({ request_id: '1', pool: 'demo', ...served, slots: 4 })}\n`,
  );
});
afterAll(() => sandbox.remove());

/** What a gateway under fifo wrote: two events for what was served, one for what was refused. */
function gatewayLog(): string {
  const loop = new EventLoop({ arrivals: noisyNeighbour({ seed: 1 }), policy: noisyNeighbourPolicy('fifo'), slots: 8 });
  const at = (ms: number): number => BASE_MS + Math.floor(ms);
  const lines: object[] = [{ schema: 'evenshare.pool.v1', pool: 'demo', at: BASE_MS, slots: 8 }];
  for (const { request, outcome, reason, dispatchedAtMs, endedAtMs } of loop.runToEnd()) {
    const known = { request_id: request.id, pool: 'demo', tenant: request.tenant, arrived_at: at(request.arrivedAtMs) };
    if (outcome !== 'served') lines.push({ ...known, outcome: 'rejected', reason });
    else
      lines.push(
        { ...known, dispatched_at: at(dispatchedAtMs) },
        { ...known, completed_at: at(endedAtMs), status: 'ok' },
      );
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

async function replay(...args: readonly string[]): Promise<ReplayResult> {
  const { code, stdout, stderr } = await sandbox.run(['replay', ...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('evenshare replay', () => {
  const BURST = ['--from', new Date(BASE_MS + 20_000).toISOString(), '--to', new Date(BASE_MS + 40_000).toISOString()];

  it('puts the noisy neighbour’s own log under other policies, beside what was recorded', async () => {
    const policy = await sandbox.write('fifo-2000.yaml', 'discipline: fifo\nqueue: { total_limit: 2000 }\n');
    const wanted = ['--policy', policy, '--policy', 'drr', '--policy', 'wfq', '--recorded-under', policy];
    const result = await replay(log, ...wanted, ...BURST);
    expect(result).toMatchObject({ pool: 'demo', slots: 8, cost_unit: 'requests', scenario: 'fifo.ndjson' });
    expect(result.policies.map((each) => each.policy)).toEqual(['as recorded', policy, 'drr', 'wfq']);
    const [record, again, ...fair] = result.policies;
    for (const unfair of [record, again]) {
      expect(unfair?.jain_index).toBeLessThan(0.8);
      expect(unfair?.in_share_p99_wait_ms).toBeGreaterThan(2000);
    }
    for (const each of fair) {
      expect(each.jain_index).toBeGreaterThan(0.999);
      expect(each.in_share_p99_wait_ms).toBeLessThan(30);
    }
    const { fidelity } = result;
    expect(fidelity?.policy).toBe(policy);
    expect(Math.abs(fidelity?.wait_p50_error_ratio ?? 1)).toBeLessThan(0.1);
    expect(Math.abs(fidelity?.wait_p99_error_ratio ?? 1)).toBeLessThan(0.1);
    expect(fidelity?.w1_over_mean).toBeLessThan(0.1);
    expect(fidelity?.jain_recorded).toBe(record?.jain_index);
    expect(fidelity?.jain_replayed).toBe(again?.jain_index);
  });

  it('has a table for people, with the fidelity or why there is none', async () => {
    const { stdout, code } = await sandbox.run(['replay', log, '--policy', 'drr', ...BURST]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nas recorded +0\.7/);
    expect(stdout).toMatch(/\ndrr +1 /);
    expect(stdout).toMatch(/service times: \d+ measured, 0 bounded, \d+ imputed\n/);
    expect(stdout).toMatch(/fidelity: not known \(name the policy of the log with --recorded-under\)\n$/);
  });

  it('replays batch jobs of many slots each', async (context) => {
    const trace = requirePart(context, sharedTrace('swf/hpc2n_slice.swf.gz'));
    const wanted = ['--policy', 'fifo', '--policy', 'drr', '--policy', 'wfq', '--recorded-under', 'fifo'];
    const result = await replay(trace, '--format', 'swf', '--slots', '240', ...wanted);
    expect(result).toMatchObject({ requests: 3170, cost_unit: 'service_ms' });
    const [record, ...replayed] = result.policies;
    for (const each of replayed) {
      expect(each.utilization_ratio).toBeCloseTo(record?.utilization_ratio ?? Number.NaN, 2);
      expect(each.idle_while_waiting_ratio).toBe(0);
      expect(each.tenants).toHaveLength(record?.tenants.length ?? Number.NaN);
    }
    expect(result.fidelity?.envelope?.inside).toBe(true);
  });

  it('says that a log without waits has no fidelity', async () => {
    const lines = [1, 2, 3].map((n) => JSON.stringify({ tenant: 'a', id: n, at: BASE_MS + n, end: BASE_MS + n + 10 }));
    const csv = await sandbox.write(
      'no-waits.csv',
      `tenant,id,at,end\n${lines.map((line) => Object.values(JSON.parse(line)).join(',')).join('\n')}\n`,
    );
    const map = await sandbox.write(
      'map.yaml',
      'fields:\n  tenant: { column: tenant }\n  request_id: { column: id }\n  arrived_at: { column: at, unit: ms }\n  completed_at: { column: end, unit: ms }\nprovenance: { wait: absent }\n',
    );
    const { code, stdout, stderr } = await sandbox.run([
      'replay',
      csv,
      '--format',
      'csv',
      '--map',
      map,
      '--slots',
      '2',
      '--policy',
      'fifo',
      '--recorded-under',
      'fifo',
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result: ReplayResult = JSON.parse(stdout);
    expect(result).toMatchObject({ fidelity: null, fidelity_reason: 'no_waits', service_times: { bounded: 3 } });
    expect(result.policies[0]).toMatchObject({ jain_index: null, jain_index_reason: 'no_waits' });
  });

  it.each([
    ['an unknown policy', ['--policy', 'lifo'], /no policy is called "lifo": there are fifo, drr, wfq, wf2q, vtc/],
    ['an unknown policy of the log', ['--recorded-under', 'lifo'], /no policy is called "lifo"/],
    ['an empty span', ['--from', '2026-11-01T00:00:00Z', '--to', '2026-11-01T00:00:00Z'], /--to must be after --from/],
    ['a pool that is not there', ['--pool', 'p'], /the log has no pool "p": it has demo/],
    ['a unit that is none', ['--cost-unit', 'apples'], /--cost-unit "apples"/],
  ])('refuses %s in one line', async (_, args, line) => {
    expectRefusal(await sandbox.run(['replay', small, '--slots', '4', '--json', ...args]), 2, line);
  });

  it('asks for the slots where the log does not tell, and refuses too few', async () => {
    expectRefusal(await sandbox.run(['replay', small, '--json']), 2, /does not tell how many servers .* give --slots/);
    expectRefusal(await sandbox.run(['replay', small, '--slots', '2', '--json']), 2, /holds 4 slots at once, of 2/);
    expectRefusal(await sandbox.run(['replay', 'nowhere.ndjson', '--json']), 2, /does not exist/);
  });
});
