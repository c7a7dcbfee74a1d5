import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { LOG_START_MS, smallLog } from './small-log.ts';

const OLD = `# before the contract
weights: { a: 1, b: 1 }
`;
/** A tenant whose name would clear a terminal's screen, and one that is no property. */
const NEW = `tenants:
  - { name: a, weight: 3, group: corp }
  - { name: "\\e[2Jkey", weight: 0, group: corp }
  - { name: __proto__, quota: { rate_per_s: 5, burst: 1 } }
groups: { corp: { weight: 2 } }
`;
const START = new Date(LOG_START_MS).toISOString();

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('old.yaml', OLD);
  await sandbox.write('sites/new.yaml', NEW);
});
afterAll(() => sandbox.remove());

const policy = (...args: string[]) => sandbox.run(['policy', ...args, '--data-dir', 'data']);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await policy(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('policies on the command line', () => {
  it('are applied to a pool before it speaks, and once', async () => {
    const first = await policy('apply', 'old.yaml', '--pool', 'my pool', '--from', '1970-01-01');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('"my pool": "old.yaml" holds from 1970-01-01T00:00:00.000Z, instead of no policy');
    const again = await json('apply', 'old.yaml', '--pool', 'my pool', '--from', '0000000000000');
    expect(again).toMatchObject({ outcome: 'unchanged', windows_to_recompute: 0, recompute_command: null });
  });

  it('from a time in the past say which windows wait to be recomputed, and how', async () => {
    await sandbox.write('log.ndjson', smallLog({ requests: 1_300, pool: 'my pool' }));
    for (const args of [['load', 'log.ndjson'], ['analyze']]) {
      expect(await sandbox.run([...args, '--data-dir', 'data'])).toMatchObject({ code: 0 });
    }
    const args = ['apply', 'sites/new.yaml', '--pool', 'my pool', '--from', String(LOG_START_MS + 60_000)];
    const preview = await json(...args, '--dry-run');
    expect(preview).toMatchObject({ outcome: 'applied', dry_run: true, name: 'new.yaml', windows_to_recompute: 2 });
    const { stdout } = await policy(...args);
    const command = `evenshare analyze --from ${START.replace('00:00', '01:00')} --pool 'my pool' --data-dir data`;
    expect(stdout).toContain(`2 stored windows from then on are not yet recomputed: ${command}\n`);
    expect(stdout).toMatch(/^tenant {2}a +changed {2}weight 1 → 3, group none → corp$/m);
    expect([...stdout].filter((character) => /\p{Cc}/u.test(character) && character !== '\n')).toEqual([]);
  });

  it('are listed, shown as they were, and compared', async () => {
    const { policies } = await json('list');
    expect(policies.map(({ name, from, until }: Record<string, unknown>) => [name, from, until])).toEqual([
      ['old.yaml', '1970-01-01T00:00:00.000Z', START.replace('00:00', '01:00')],
      ['new.yaml', START.replace('00:00', '01:00'), null],
    ]);
    expect((await policy('show', '--pool', 'my pool', '--at', START)).stdout).toBe(OLD);
    const shown = await json('show', '--pool', 'my pool', '--at', '2099-01-01');
    expect(shown.policy.tenants.map(({ tenant, weight }: Record<string, unknown>) => [tenant, weight])).toEqual([
      ['\u001b[2Jkey', 0],
      ['__proto__', 1],
      ['a', 3],
    ]);
    const between = await json('diff', '--pool', 'my pool', '--from', START, '--to', '2099-01-01');
    expect(between.changes.tenants.map(({ tenant, change }: Record<string, unknown>) => [tenant, change])).toEqual([
      ['\u001b[2Jkey', 'added'],
      ['__proto__', 'added'],
      ['a', 'changed'],
      ['b', 'removed'],
    ]);
    const { stdout } = await policy('diff', 'old.yaml', '--pool', 'my pool', '--at', START);
    expect(stdout).toContain('no weight, group, class or quota differs');
  });

  it('name what is wrong in one line, and nothing is stored', async () => {
    await sandbox.write('bad.yaml', 'weights: { a: -1 }\n');
    for (const [args, words] of [
      [['apply', 'bad.yaml', '--pool', 'p'], 'policy "bad.yaml": weights.a: must be a number ≥ 0, not -1'],
      [['diff', 'old.yaml', '--pool', 'p', '--from', START], '--from and --to compare two times'],
      [['show', '--pool', 'nobody'], 'no policy holds in pool "nobody"'],
    ] as const) {
      const { code, stdout, stderr } = await policy(...args);
      expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
      expect(stderr).toContain(words);
    }
    expect(await json('list', '--pool', 'p')).toEqual({ policies: [] });
  });
});
