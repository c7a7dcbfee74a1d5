import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../cli/clock.ts';
import { createEventProducer } from '../../ingest/index.ts';
import { startKafka } from '../support/kafka.ts';
import { type CliSandbox, cliSandbox, type UpProcess } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';

// From the broker into the store each request once and each refused record in the dead letters, whatever is killed.

const EVENTS = 200_000;
const INVALID_EVERY = 50;
const INVALID = EVENTS / INVALID_EVERY;
const PARTITIONS = 4;
const TOPIC = 'evenshare.decisions';
/** Kills come when a process has stored so many events itself. */
const KILL_AFTER_EVENTS = 40_000;
const KILLS = 2;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

const FROM_MS = Date.now() - 30 * 60_000;

function lineOf(index: number): { key: string; value: string } {
  const arrivedAtMs = FROM_MS + Math.floor((index * 20 * 60_000) / EVENTS);
  const identity = { request_id: `r${index}`, tenant: `t${index % 7}` };
  const times = { arrived_at: arrivedAtMs, dispatched_at: arrivedAtMs + 3, completed_at: arrivedAtMs + 20 };
  return {
    key: identity.request_id,
    value: JSON.stringify(index % INVALID_EVERY === 0 ? identity : { ...identity, ...times }),
  };
}

async function produceAll(brokers: string): Promise<void> {
  const producer = await createEventProducer({
    connection: { brokers: [brokers] },
    topic: TOPIC,
    clock: systemClock,
    log: SILENT,
  });
  const perCall = 5_000;
  for (let from = 0; from < EVENTS; from += perCall) {
    await producer.produce(Array.from({ length: perCall }, (_, index) => lineOf(from + index)));
  }
  await producer.close();
}

/** A metric's samples added up; null while it has none or the process does not answer. */
async function metric(address: string, name: string): Promise<number | null> {
  const body = await fetch(`${address}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const samples = body.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return samples.length === 0
    ? null
    : samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Asks until it holds; the time limit is the test's own. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemClock.sleep(100);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('a listener without a port');
  return address.port;
}

test('200,000 events through the broker are in the store once, the refused ones in the dead letters, through two kill -9', {
  timeout: 240_000,
}, async (context) => {
  const kafka = await startKafka(context);
  await kafka.createTopic(TOPIC, PARTITIONS);
  await produceAll(kafka.bootstrap);
  const dataDir = sandbox.path('data');
  const config = await sandbox.write(
    'evenshare.yaml',
    `store: { kind: embedded, path: ${JSON.stringify(dataDir)} }\nkafka: { brokers: ["${kafka.bootstrap}"], session_timeout: 6s }\n`,
  );
  const args = ['--port', String(await freePort()), '--config', config];
  const storedBy = async (up: UpProcess): Promise<number> =>
    (await metric(up.address, 'evenshare_ingest_events_total')) ?? 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const up = await sandbox.up(args);
    await until(async () => (await storedBy(up)) >= KILL_AFTER_EVENTS);
    up.kill('SIGKILL');
    expect(await up.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  }
  const last = await sandbox.up(args);
  const lag = (): Promise<number | null> => metric(last.address, 'evenshare_kafka_lag_messages');
  await until(async () => (await lag()) === 0);
  last.kill('SIGTERM');
  expect((await last.ended).code).toBe(0);
  expect(await folderContents(dataDir)).toMatchObject({
    requests: EVENTS - INVALID,
    requestIds: EVENTS - INVALID,
    letters: INVALID,
    letterContents: INVALID,
  });
});
