import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PoolWindows, Window } from '../../analytics/index.ts';
import {
  EventLoop,
  NOISY_NEIGHBOUR_SLOTS,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from '../../scheduler-core/simulate/index.ts';
import { type CliResult, type CliSandbox, cliSandbox } from '../support/run-cli.ts';

// The published scenario from end to end: the log that a gateway would have written, through `evenshare audit`. The bands
// are those of 300 seeds (04, "Noisy neighbour").

/** A whole multiple of 20 s: the second window is the burst. */
const BASE_MS = 1_790_848_800_000;
const AUDIT = ['--window', '20s', '--slots', '8', '--json'];

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

/** What the gateway did, one line a request, with times as logs have them: whole milliseconds. */
function gatewayLog(kind: 'fifo' | 'drr', seed: number): string {
  const loop = new EventLoop({
    arrivals: noisyNeighbour({ seed }),
    policy: noisyNeighbourPolicy(kind),
    slots: NOISY_NEIGHBOUR_SLOTS,
  });
  const at = (ms: number): number => BASE_MS + Math.floor(ms);
  const lines: string[] = [];
  for (const ended of loop.runToEnd()) {
    const { id, tenant, arrivedAtMs } = ended.request;
    const request = { request_id: id, tenant, arrived_at: at(arrivedAtMs) };
    const end =
      ended.outcome === 'served'
        ? { dispatched_at: at(ended.dispatchedAtMs), completed_at: at(ended.endedAtMs), status: 'ok' }
        : { outcome: 'rejected', reason: ended.reason };
    lines.push(JSON.stringify({ ...request, ...end }));
  }
  return `${lines.join('\n')}\n`;
}

interface Audited {
  readonly result: CliResult;
  readonly burst: Window;
}

async function audit(kind: 'fifo' | 'drr', seed: number): Promise<Audited> {
  const path = await sandbox.write(`${kind}-${seed}.ndjson`, gatewayLog(kind, seed));
  const result = await sandbox.run(['audit', path, ...AUDIT, '--fail-on', 'unfair']);
  const { windows }: PoolWindows = JSON.parse(result.stdout);
  const burst = windows[1];
  if (burst === undefined) throw new Error(`seed ${seed}: there is no second window`);
  expect(burst.start).toBe(new Date(BASE_MS + 20_000).toISOString());
  return { result, burst };
}

function expectWithin(value: number | null | undefined, [low, high]: readonly [number, number]): void {
  expect(value).toBeGreaterThanOrEqual(low);
  expect(value).toBeLessThanOrEqual(high);
}

/** What holds of the burst under a fair discipline; fifo, the control, must break every one. */
const FAIR_CLAIMS: Readonly<Record<string, (burst: Window) => boolean>> = {
  'the verdict is fair': (burst) => burst.verdict === 'fair',
  'nobody is short': (burst) => burst.tenants.every(({ verdict }) => verdict !== 'short'),
  'nobody is served beyond its share': (burst) => burst.tenants.every(({ verdict }) => verdict !== 'over'),
  'the smallest normalized share is at least 0.956': (burst) => (burst.min_normalized_share?.value ?? 0) >= 0.956,
  'the Jain index is at least 0.99': (burst) => (burst.jain_index ?? 0) >= 0.99,
  'the in-share p99 is 17.9 to 24.3 ms': (burst) => isWithin(burst.in_share.p99_wait_ms, [17.9, 24.3]),
};

const isWithin = (value: number | null, [low, high]: readonly [number, number]): boolean =>
  value !== null && value >= low && value <= high;

const claimsThat = (burst: Window, hold: boolean): string[] =>
  Object.entries(FAIR_CLAIMS).flatMap(([claim, holds]) => (holds(burst) === hold ? [claim] : []));

describe.each([1, 2, 3])('an audit of the noisy neighbour, seed %i', (seed) => {
  test('finds the burst unfair under fifo and names who was served beyond its share; under drr it is fair', async () => {
    const [fifo, drr] = await Promise.all([audit('fifo', seed), audit('drr', seed)]);

    expect(fifo.burst.verdict).toBe('unfair');
    expectWithin(fifo.burst.jain_index, [0.704, 0.773]);
    expectWithin(fifo.burst.min_normalized_share?.value, [0, 0.31]);
    expectWithin(fifo.burst.in_share.p99_wait_ms, [2_531, 2_728]);
    expect(fifo.burst.causes).toContainEqual({ cause: 'over_served', tenants: ['heavy'] });
    expect(fifo.burst.tenants.find(({ tenant }) => tenant === 'heavy')?.verdict).toBe('over');
    expect(fifo.result.code).toBe(1);
    expect(fifo.result.stderr).toMatch(
      /^evenshare: --fail-on unfair: \d of \d windows break it, .* \[EVS_FAIL_ON\]\n$/,
    );

    expect(claimsThat(drr.burst, false)).toEqual([]);
    expect(drr.burst.in_share.tenants).toBe(24);
    expect({ code: drr.result.code, stderr: drr.result.stderr }).toEqual({ code: 0, stderr: '' });
    expect(claimsThat(fifo.burst, true)).toEqual([]);
  });
});
