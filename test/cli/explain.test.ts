import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Explanation } from '../../analytics/index.ts';
import {
  EventLoop,
  NOISY_NEIGHBOUR_SLOTS,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from '../../scheduler-core/simulate/index.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';

// A gateway with a planted noisy neighbour, from its log to who is to blame; the same traffic shared fairly is the control.

/** A whole multiple of 20 s: the second window is the burst. */
const BASE_MS = 1_790_848_800_000;
const BURST = '2026-10-01T10:00:25Z';
/** Control characters never get past the intake; what turns text around does. */
const HOSTILE = '\u202e"was fair. <b>';

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write(
    'evenshare.yaml',
    'store: { kind: embedded, path: data }\nwindow: 20s\npools: { fifo: { slots: 8 }, drr: { slots: 8 }, half: { slots: 8 } }\n',
  );
  const logs = [
    gatewayLog('fifo', { kind: 'fifo', slots: NOISY_NEIGHBOUR_SLOTS }),
    gatewayLog('drr', { kind: 'drr', slots: NOISY_NEIGHBOUR_SLOTS }),
    // Half of the slots that the pool is said to have do nothing.
    gatewayLog('half', { kind: 'fifo', slots: NOISY_NEIGHBOUR_SLOTS / 2 }),
  ];
  await sandbox.write('log.ndjson', logs.join(''));
  for (const command of [['load', 'log.ndjson'], ['analyze']]) {
    const { code, stderr } = await sandbox.run([...command, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
});
afterAll(() => sandbox.remove());

function gatewayLog(pool: string, gateway: { readonly kind: 'fifo' | 'drr'; readonly slots: number }): string {
  const loop = new EventLoop({
    arrivals: noisyNeighbour({ seed: 1 }),
    policy: noisyNeighbourPolicy(gateway.kind),
    slots: gateway.slots,
  });
  const at = (ms: number): number => BASE_MS + Math.floor(ms);
  let text = '';
  for (const ended of loop.runToEnd()) {
    const { id, tenant, arrivedAtMs } = ended.request;
    const request = {
      request_id: `${pool}-${id}`,
      pool,
      tenant: tenant === 'small03' ? HOSTILE : tenant,
      arrived_at: at(arrivedAtMs),
    };
    const end =
      ended.outcome === 'served'
        ? { dispatched_at: at(ended.dispatchedAtMs), completed_at: at(ended.endedAtMs), status: 'ok' }
        : { outcome: 'rejected', reason: ended.reason };
    text += `${JSON.stringify({ ...request, ...end })}\n`;
  }
  return text;
}

async function explain(pool: string, ...args: readonly string[]): Promise<Explanation> {
  const { code, stdout, stderr } = await sandbox.run(['explain', '--pool', pool, '--at', BURST, ...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('evenshare explain', () => {
  test('names the noisy neighbour as the culprit for every short tenant under fifo, and nobody under drr', async () => {
    const fifo = await explain('fifo');
    expect(fifo.window.verdict).toBe('unfair');
    expect(fifo.top_cause).toEqual({ cause: 'over_served', tenant: 'heavy' });
    const ledgers = fifo.ledger?.tenants ?? [];
    expect(ledgers.length).toBeGreaterThan(5);
    for (const ledger of ledgers) {
      expect(ledger.top_cause).toEqual({ cause: 'over_served', tenant: 'heavy' });
      expect(ledger.entries.reduce((total, entry) => total + entry.percent, 0)).toBe(100);
    }
    const heavy = fifo.tenants.find((each) => each.tenant === 'heavy');
    expect(heavy?.attributed_cost).toBeLessThanOrEqual(heavy?.excess_cost ?? 0);

    const drr = await explain('drr');
    expect([drr.window.verdict, drr.top_cause.cause, drr.ledger]).toEqual(['fair', 'none', null]);
  });

  test('puts it down to the slots where half of them are gone', async () => {
    const half = await explain('half');
    expect(half.window.verdict).toBe('unfair');
    expect(half.top_cause).toEqual({ cause: 'lost_capacity', tenant: null });
    expect(half.summary[1]).toContain('lost capacity');
  });

  test('tells it to people in sentences first, then in tables; no name reaches the terminal as it is', async () => {
    const { code, stdout } = await sandbox.run(['explain', '--pool', 'fifo', '--at', BURST]);
    expect(code).toBe(0);
    const [first, second] = stdout.split('\n');
    expect(first).toMatch(/^At 10:00:20 UTC on 2026-10-01 pool fifo was unfair: .* got .* it was entitled to \(\d+%\)/);
    expect(second).toMatch(/^heavy was served [\d,]+ beyond its share, which is (over 99|9\d|100)% of the shortfall/);
    expect(stdout).toContain('Who was entitled to what');
    expect(stdout).toContain('How the capacity of the window');
    expect(stdout).toContain('What the shortfalls are put down to');
    const one = await sandbox.run(['explain', '--pool', 'fifo', '--at', BURST, '--tenant', HOSTILE]);
    expect(one.stdout).toContain(String.raw`"\u{202e}\"was fair. <b>" got `);
    for (const text of [stdout, one.stdout]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('says in one line what it cannot explain, and what there is', async () => {
    const refuse = async (line: RegExp, ...args: readonly string[]) =>
      expectRefusal(await sandbox.run(['explain', ...args]), 2, line);
    await refuse(/--pool "q" is not in the store: it has drr, fifo, half/, '--pool', 'q', '--at', BURST);
    await refuse(
      /tenant nobody has no request in the window .* 17 more /,
      '--pool',
      'drr',
      '--at',
      BURST,
      '--tenant',
      'nobody',
    );
    await refuse(
      /no window of pool drr holds 2026-10-01T11:00:00.000Z: the nearest starts 2026-10-01T10:0/,
      ...['--pool', 'drr', '--at', '2026-10-01T11:00:00Z'],
    );
    await refuse(/--at "noon" is no time/, '--pool', 'drr', '--at', 'noon');
    await refuse(/required option '--at <time>' not specified/, '--pool', 'drr');
  });
});
