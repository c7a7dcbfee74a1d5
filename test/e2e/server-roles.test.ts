import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram, type ChildProgram, startProgram } from '../support/child-program.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { until } from '../support/until.ts';

// A fleet's roles, each a process of its own, on one store over ClickHouse's HTTP interface.

const STORE_PROGRAM = join(import.meta.dirname, '../support/clickhouse-http/program.ts');
const REQUESTS = 600;

let sandbox: CliSandbox;
let store: ChildProgram;
let storeUrl = '';
beforeAll(async () => {
  sandbox = await cliSandbox();
  await mkdir(sandbox.path('store'));
  store = startProgram(await bundleProgram(STORE_PROGRAM), [sandbox.path('store'), '0']);
  storeUrl = JSON.parse(await store.nextLine()).url;
  await ask('CREATE DATABASE evenshare', '');
});
afterAll(async () => {
  await sandbox.endAll();
  await store.finish();
  await sandbox.remove();
});

async function ask(sql: string, search = '?database=evenshare'): Promise<string> {
  const response = await fetch(`${storeUrl}/${search}`, { method: 'POST', body: sql });
  if (!response.ok) throw new Error(await response.text());
  return (await response.text()).trim();
}

test('serve takes events, jobs makes windows of them, and both share one store', { timeout: 240_000 }, async () => {
  const config = await sandbox.write(
    'evenshare.yaml',
    `store: { kind: server, url: "${storeUrl}", username: default, password: "", database: evenshare }
pools: { p: { slots: 4 } }
`,
  );
  const address = async (role: string): Promise<string> => {
    const running = sandbox.start([role, '--config', config, '--port', '0']);
    let found: string | undefined;
    await running.printed(({ stdout }) => {
      found = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0];
      return found !== undefined;
    });
    return found ?? '';
  };
  const [serve] = await Promise.all([address('serve'), address('jobs')]);
  const fromMs = Math.floor(Date.now() / 60_000) * 60_000 - 10 * 60_000;
  const events = Array.from({ length: REQUESTS }, (_, index) => {
    const arrived_at = fromMs + index * 400;
    const times = { arrived_at, dispatched_at: arrived_at + 5, completed_at: arrived_at + 105 };
    return JSON.stringify({ request_id: `r${index}`, pool: 'p', tenant: `t${index % 3}`, ...times });
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  const posted = await fetch(`${serve}/v1/events`, { method: 'POST', headers, body: events.join('\n') });
  expect([posted.status, await posted.json()]).toEqual([202, expect.objectContaining({ accepted: REQUESTS })]);
  expect(await ask('SELECT count() FROM requests FINAL')).toBe(String(REQUESTS));
  // A process that has just come leads only after a while.
  const windows = await until(
    'the job has made windows',
    async () => {
      const count = Number(
        await ask(`SELECT uniqExact(start_ms) FROM windows WHERE pool = 'p' AND start_ms < ${fromMs + 240_000}`),
      );
      return count >= 4 ? count : null;
    },
    { limitMs: 150_000 },
  );
  expect(windows).toBe(4);
  const page = await fetch(`${serve}/api/v1/pools`);
  expect([page.status, JSON.stringify(await page.json())]).toEqual([200, expect.stringContaining('"p"')]);
});
