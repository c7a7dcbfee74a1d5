import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Backfill, PoolWindows } from '../../analytics/index.ts';
import { migrate, openClickHouse, tsvRow } from '../../analytics/storage/index.ts';
import { type CliSandbox, cliSandbox, type UpProcess } from '../support/run-cli.ts';
import { event, insertEvents } from '../support/temporary-store.ts';

// `evenshare analyze` beside a running `evenshare up` on the same data folder.

/** 2026-10-01T10:00:00Z. */
const LOG_START_MS = 1_790_848_800_000;
const TOKEN = 'the-operators-own-token';
const TOKENS = '[{ token: "$' + '{EVENSHARE_OPERATOR_TOKEN}", scope: operator }]';
const config = (unit: string): string =>
  `http: { tokens: ${TOKENS} }\npools: { p: { slots: 2, cost_unit: ${unit} }, q: { slots: 2 } }\n`;
const env = { EVENSHARE_OPERATOR_TOKEN: TOKEN };
const RANGE = ['--from', new Date(LOG_START_MS).toISOString(), '--to', '2026-10-01T10:02:30Z'];
const PAST = ['--config', 'past.yaml'];
const NOW = ['--config', 'now.yaml'];

// Many processes one after another: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
  await sandbox.write('past.yaml', config('requests'));
  await sandbox.write('now.yaml', config('service_ms'));
});
afterAll(() => sandbox.remove());

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sandbox.run(args, { env });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** A folder with requests that are stored for long and were looked at: the minute job of `up` has nothing to do with them. */
async function fill(dataDir: string): Promise<void> {
  const store = await openClickHouse({ kind: 'embedded', path: dataDir });
  try {
    await migrate(store, { dryRun: false });
    for (const [pool, requests] of [
      ['p', 1_800],
      ['q', 600],
    ] as const) {
      const events = Array.from({ length: requests }, (_, index) => {
        const arrivedAtMs = LOG_START_MS + index * 100;
        const times = { arrivedAtMs, dispatchedAtMs: arrivedAtMs + 5, completedAtMs: arrivedAtMs + 25 };
        return event({ pool, requestId: `r${index}`, tenant: ['a', 'b', '中文'][index % 3] ?? '', ...times });
      });
      await insertEvents(store, events);
    }
    const checkedToMs = LOG_START_MS * 2;
    await store.insert('jobs', 'job_progress', ['window_ms', 'late_checked_to_ms'], tsvRow([60_000, checkedToMs]));
  } finally {
    await store.close();
  }
}

async function figuresOf({ address }: UpProcess): Promise<PoolWindows['windows']> {
  const range = `from=${LOG_START_MS}&to=${LOG_START_MS + 600_000}`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${address}/api/v1/pools/p/windows?${range}`, { headers });
  const { windows }: PoolWindows = JSON.parse(await response.text());
  return windows;
}

test('the process that holds the folder does it, and the figures are those of a computation by hand', async () => {
  await fill(sandbox.path('live'));
  await run('analyze', '--data-dir', 'live', ...PAST);
  await cp(sandbox.path('live'), sandbox.path('copy'), { recursive: true });
  const byHand = JSON.parse(await run('analyze', '--data-dir', 'copy', '--pool', 'p', ...RANGE, ...NOW, '--json'));
  const shown = await run('fairness', '--data-dir', 'copy', '--pool', 'p', ...RANGE, ...NOW, '--json');
  const expected = JSON.parse(shown).windows;

  const up = await sandbox.up(['--port', '0', '--data-dir', 'live', ...NOW], { env });
  const before = await figuresOf(up);
  expect(before.map(({ cost_unit }) => cost_unit)).toEqual(['requests', 'requests', 'requests']);
  const locked = await sandbox.run(['analyze', '--data-dir', 'live', ...NOW], { env });
  expect(locked.code).toBe(1);
  expect(locked.stderr).toMatch(/, or have it do this with --via http:\/\/127\.0\.0\.1:8484 \[EVS_STORE_LOCKED\]\n$/);

  const via = ['analyze', '--via', up.address, '--pool', 'p', ...RANGE];
  expect(JSON.parse(await run(...via, ...NOW, '--json'))).toEqual(byHand);
  const after = await figuresOf(up);
  expect(after).toEqual(expected);
  expect(after).not.toEqual(before);
  expect(await run(...via), 'the token of the environment does without a configuration').toMatch(
    /^pool +from +to +windows +changed\np +2026-10-01T10:00:00\.000Z +2026-10-01T10:03:00\.000Z +3 +0\n$/,
  );
  expect(JSON.parse(await run('analyze', '--via', up.address, '--json'))).toMatchObject({
    pools: [
      { pool: 'p', windows: 3, written: 0 },
      { pool: 'q', windows: 1, written: 0 },
    ],
  });

  expect(await sandbox.run(via)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `evenshare: ${up.address} asks for a token of scope operator: set EVENSHARE_OPERATOR_TOKEN (a token is needed: send "Authorization: Bearer TOKEN") [EVS_HTTP]\n`,
  });
  expect(await sandbox.run(['analyze', '--via', up.address, '--pool', 'z'], { env })).toMatchObject({
    code: 2,
    stderr: 'evenshare: there is no pool "z"; GET /api/v1/pools lists them [EVS_USAGE]\n',
  });
  up.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
  expect(await sandbox.run(via, { env })).toMatchObject({
    code: 1,
    stderr: `evenshare: nothing answers at ${up.address}: is "evenshare up" running there? [EVS_HTTP]\n`,
  });
});

test('interrupted, it says that the work goes on, and ends', async () => {
  const times = {
    from: '2026-10-01T00:00:00.000Z',
    to: '2026-10-02T00:00:00.000Z',
    done_to: '2026-10-01T12:00:00.000Z',
  };
  const counts = { windows: 720, written: 0, expired: 0 };
  const running: Backfill = { pool: 'p', ...times, done_ratio: 0.5, state: 'running', ...counts, failure: null };
  let watched = (): void => {};
  const isWatched = new Promise<void>((resolve) => {
    watched = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === 'GET') watched();
    response.writeHead(request.method === 'POST' ? 202 : 200).end(JSON.stringify({ backfills: [running] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  try {
    const command = sandbox.start(['analyze', '--via', url]);
    await isWatched;
    command.kill('SIGINT');
    expect(await command.ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: `${url} goes on with the backfill; the same command shows how far it is\nevenshare: interrupted\n`,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.each([
  [['--via', 'localhost:8484'], /--via must be the address of a running process, such as http:\/\/127\.0\.0\.1:8484/],
  [['--via', 'http://127.0.0.1:1', '--resume'], /leave out --data-dir and --resume/],
  [['--via', 'http://127.0.0.1:1', '--data-dir', 'live'], /leave out --data-dir and --resume/],
])('%j is refused', async (args, words) => {
  const { code, stdout, stderr } = await sandbox.run(['analyze', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(words);
});
