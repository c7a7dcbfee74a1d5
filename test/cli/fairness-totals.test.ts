import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PoolWindows } from '../../analytics/index.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { expectRefusal } from './refusal.ts';
import { smallLog } from './small-log.ts';

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

interface Totals {
  readonly pool: string;
  readonly by: string;
  readonly periods: readonly {
    readonly start: string;
    readonly end: string;
    readonly state: string;
    readonly pool: readonly { readonly windows: number; readonly requests: number }[];
    readonly tenants: readonly {
      readonly tenant: string;
      readonly demand_cost: number | null;
      readonly requests: number;
      readonly wait_ms: { readonly samples: number; readonly relative_error: number };
    }[];
  }[];
}

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('evenshare.yaml', 'store: { kind: embedded, path: data }\npools: { p: { slots: 2 } }\n');
  await sandbox.write('log.ndjson', smallLog({ requests: 900, pool: 'p' }));
  for (const args of [['load', 'log.ndjson'], ['analyze']]) expect((await sandbox.run(args)).code).toBe(0);
});
afterAll(() => sandbox.remove());

describe('evenshare fairness --by', () => {
  test('adds up what the windows say, by hour, day and month', async () => {
    const range = ['--from', '2026-10-01', '--to', '2026-10-02'];
    const windows: PoolWindows = JSON.parse((await sandbox.run(['fairness', ...range, '--json'])).stdout);
    const demand = windows.windows.flatMap((window) => window.tenants.filter(({ tenant }) => tenant === 'a'));
    for (const by of ['hour', 'day', 'month']) {
      const { code, stdout, stderr } = await sandbox.run(['fairness', ...range, '--by', by, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const totals: Totals = JSON.parse(stdout);
      expect(totals).toMatchObject({ pool: 'p', by });
      expect(totals.periods).toHaveLength(1);
      const [period] = totals.periods;
      expect(period?.state).toBe('final');
      expect(period?.pool[0]).toMatchObject({ windows: windows.windows.length, requests: 900 });
      expect(period?.tenants.map(({ tenant }) => tenant)).toEqual(['a', 'b', '中文']);
      const of = period?.tenants[0];
      expect(of?.demand_cost).toBeCloseTo(
        demand.reduce((sum, each) => sum + (each.demand_cost ?? 0), 0),
        9,
      );
      expect(of?.wait_ms.relative_error).toBe(0.01);
    }
  });

  test('shows one tenant as a table', async () => {
    const { stdout } = await sandbox.run(['fairness', '--by', 'day', '--tenant', '中文']);
    expect(stdout).toMatch(/^pool p \(hours, days and months in UTC; waits within 1%\)\nfrom +tenant +windows +short/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  test('refuses what is no period, a tenant without one, and more periods than anybody reads', async () => {
    expectRefusal(
      await sandbox.run(['fairness', '--by', 'week']),
      2,
      /--by "week" is no period: write hour, day or month/,
    );
    expectRefusal(
      await sandbox.run(['fairness', '--tenant', 'a']),
      2,
      /--tenant goes with totals: add --by hour, day or/,
    );
    expectRefusal(
      await sandbox.run(['fairness', '--by', 'hour', '--from', '2020-01-01', '--to', '2026-01-01']),
      2,
      /--by hour makes 52608 periods of this range, more than 2000: choose a shorter range, or a longer period/,
    );
  });
});
