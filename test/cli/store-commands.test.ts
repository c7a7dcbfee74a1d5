import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PoolWindows } from '../../analytics/index.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';
import { LOG_START_MS, smallLog } from './small-log.ts';

// The way of a log through a data folder: load, analyze, fairness, and what looks after the folder.

const REQUESTS = 1_800;
const CONFIG = 'store: { kind: embedded, path: data }\npools: { p: { slots: 2 } }\n';
const MINUTES = ['2026-10-01T10:00:00.000Z', '2026-10-01T10:01:00.000Z', '2026-10-01T10:02:00.000Z'];

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('evenshare.yaml', CONFIG);
  await sandbox.write('log.ndjson', `${smallLog({ requests: REQUESTS, pool: 'p' })}{"request_id":"x"}\nnot json\n`);
});
afterAll(() => sandbox.remove());

/** Runs a command with `--json`, which must print JSON on stdout and nothing on stderr. */
async function json<Value>(...args: readonly string[]): Promise<Value> {
  const { code, stdout, stderr } = await sandbox.run([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('a log in a data folder', () => {
  test('goes from migrate to fairness; loading it again changes nothing; audit sees the same', async () => {
    const planned = await json<{ applied: string[]; pending: string[] }>('migrate', '--dry-run');
    expect(planned.applied).toEqual([]);
    expect(planned.pending.length).toBeGreaterThan(0);
    expect(await json('migrate')).toMatchObject({ applied: planned.pending, pending: [] });
    expect(await json('migrate', '--dry-run')).toMatchObject({ applied: [], pending: [] });

    const loaded = { accepted: REQUESTS, conflict: 0, skewed: 0, rejected: { missing_field: 1, not_json: 1 } };
    expect(await json('load', 'log.ndjson')).toMatchObject({ ...loaded, duplicate: 0 });
    expect(await json('analyze')).toMatchObject({ pools: [{ pool: 'p', from: MINUTES[0], windows: 3, written: 3 }] });
    const range = ['--from', String(LOG_START_MS), '--to', '2026-10-01T10:03:00Z'];
    const before = await json<PoolWindows>('fairness', '--pool', 'p', ...range);
    const stored = await folderContents(sandbox.path('data'));
    expect(stored).toMatchObject({ requests: REQUESTS, requestIds: REQUESTS, letters: 2 });

    expect(await json('load', 'log.ndjson')).toMatchObject({ ...loaded, duplicate: REQUESTS });
    expect(await json('analyze')).toMatchObject({ pools: [{ pool: 'p', windows: 3, written: 0 }] });
    expect(await json('fairness', '--pool', 'p', ...range)).toEqual(before);
    expect(await folderContents(sandbox.path('data'))).toEqual(stored);

    expect(before.windows.map(({ start, state, verdict, requests }) => ({ start, state, verdict, requests }))).toEqual(
      MINUTES.map((start) => ({ start, state: 'final', verdict: 'uncontended', requests: REQUESTS / 3 })),
    );
    const audited = await json<PoolWindows>('audit', 'log.ndjson', '--slots', '2');
    expect(audited.windows).toEqual(before.windows);
    expect(before.windows[0]?.tenants.map(({ tenant, requests }) => [tenant, requests])).toEqual([
      ['a', 200],
      ['b', 200],
      ['中文', 200],
    ]);
  });

  test('is found in order by doctor, and shown as tables to people', async () => {
    const doctor = await json<{ ok: boolean; checks: { check: string; ok: boolean; detail: string }[] }>('doctor');
    expect(doctor.ok).toBe(true);
    expect(doctor.checks).toContainEqual({ check: 'pool p', ok: true, detail: 'windows to 2026-10-01T10:03:00.000Z' });
    expect(doctor.checks).toContainEqual({
      check: 'dead letters',
      ok: true,
      detail: 'missing_field 1, not_json 1',
    });
    const table = await sandbox.run(['fairness', '--to', '2026-10-01T10:03:00Z']);
    expect(table.stdout).toMatch(/^pool p \(costs in requests\)\nwindow +verdict +Jain +min share/);
    expect(table.stdout.split('\n').filter((line) => line.includes('uncontended'))).toHaveLength(3);
    const refused = await sandbox.run(['fairness', '--pool', 'q']);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'evenshare: --pool "q" is not in the store: it has p [EVS_USAGE]\n',
    });
  });

  test('is audited by rule: a broken one ends with 1, after the whole result', async () => {
    const passed = await sandbox.run(['audit', 'log.ndjson', '--slots', '2', '--json', '--fail-on', 'jain<0.5']);
    expect(passed.code).toBe(0);
    const broken = await sandbox.run([
      'audit',
      'log.ndjson',
      '--slots',
      '2',
      '--json',
      '--fail-on',
      'in-share-p99>4ms',
    ]);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout).windows).toHaveLength(3);
    expect(broken.stderr).toBe(
      `evenshare: --fail-on in-share-p99>4ms: 3 of 3 windows break it, the first at ${MINUTES[0]} [EVS_FAIL_ON]\n`,
    );
  });
});

describe('the configuration', () => {
  test('is checked and shown; its schema is printed for editors and accepts it', async () => {
    expect(await json('config', 'check')).toMatchObject({
      path: 'evenshare.yaml',
      store: { kind: 'embedded', path: 'data' },
      window_ms: 60_000,
      pools: { p: { slots: 2 } },
    });
    const { code, stdout, stderr } = await sandbox.run(['config', 'schema']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const schema = JSON.parse(stdout);
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['store', 'window', 'pools', 'http', 'intake']),
    );
    expect(schema.additionalProperties).toBe(false);
  });
});

describe('the help', () => {
  test('of every command has an example, and lists the options that all commands take', async () => {
    const commandsIn = (help: string): string[] => {
      const section = /\nCommands:\n(.*?)\n(?:\n|$)/s.exec(help)?.[1] ?? '';
      return [...section.matchAll(/^ {2}([a-z][a-z-]*)/gm)].flatMap(([, name = 'help']) =>
        name === 'help' ? [] : [name],
      );
    };
    const visit = async (path: readonly string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await sandbox.run([...path, '--help']);
      expect({ path, code, stderr }).toEqual({ path, code: 0, stderr: '' });
      expect(stdout, path.join(' ')).toMatch(/\nExamples?:\n {2}evenshare /);
      expect(stdout, path.join(' ')).toMatch(/--config <file>/);
      const visited = [path.join(' ')];
      // No deeper than commands go, whatever the help says.
      if (path.length < 2) for (const name of commandsIn(stdout)) visited.push(...(await visit([...path, name])));
      return visited;
    };
    const commands = await visit([]);
    expect(commands).toEqual(
      expect.arrayContaining(['up', 'load', 'audit', 'analyze', 'fairness', 'migrate', 'config check', 'doctor']),
    );
  });
});
