import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram, type ChildProgram, startProgram } from '../support/child-program.ts';
import { type CliProcess, type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { until } from '../support/until.ts';

// Two processes for the jobs of one store, without Kafka: the lease in the store decides.

const STORE_PROGRAM = join(import.meta.dirname, '../support/clickhouse-http/program.ts');

let sandbox: CliSandbox;
let store: ChildProgram;
let storeUrl = '';
beforeAll(async () => {
  sandbox = await cliSandbox();
  await mkdir(sandbox.path('store'));
  store = startProgram(await bundleProgram(STORE_PROGRAM), [sandbox.path('store'), '0']);
  storeUrl = JSON.parse(await store.nextLine()).url;
  await fetch(`${storeUrl}/`, { method: 'POST', body: 'CREATE DATABASE evenshare' });
});
afterAll(async () => {
  await sandbox.endAll();
  await store.finish();
  await sandbox.remove();
});

interface Jobs {
  readonly process: CliProcess;
  readonly address: string;
}

async function startJobs(config: string): Promise<Jobs> {
  const process = sandbox.start(['jobs', '--config', config, '--port', '0']);
  let address = '';
  await process.printed(({ stdout }) => {
    address = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
    return address !== '';
  });
  return { process, address };
}

/** A figure of `/metrics`; null where it is not shown. */
async function figure({ address }: Jobs, name: string): Promise<number | null> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const leads = async (jobs: Jobs): Promise<boolean> => (await figure(jobs, 'evenshare_job_leader')) === 1;

test('one of two job processes works, the other is ready and takes over when it ends', {
  timeout: 180_000,
}, async () => {
  const config = await sandbox.write(
    'evenshare.yaml',
    `store: { kind: server, url: "${storeUrl}", username: default, password: "", database: evenshare }
pools: { p: { slots: 4 } }
`,
  );
  const both = [await startJobs(config), await startJobs(config)];
  const everyMs = 200;
  const first = await until(
    'one leads and has run',
    async () => {
      for (const jobs of both) if ((await figure(jobs, 'evenshare_job_runs_total')) !== 0) return jobs;
      return null;
    },
    { everyMs },
  );
  const second = both.find((jobs) => jobs !== first);
  if (second === undefined) throw new Error('there is no other');
  expect([await leads(second), await figure(second, 'evenshare_job_runs_total')]).toEqual([false, 0]);
  expect(await figure(second, 'evenshare_job_watermark_seconds')).toBeNull();
  expect((await fetch(`${second.address}/readyz`)).status).toBe(200);
  first.process.kill('SIGTERM');
  expect((await first.process.ended).code).toBe(0);
  await until(
    'the other one has run',
    async () => ((await figure(second, 'evenshare_job_runs_total')) === 0 ? null : true),
    {
      everyMs,
    },
  );
});
