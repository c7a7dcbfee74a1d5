import { afterAll, beforeAll, expect, test } from 'vitest';
import { endOffsets, send } from '../ingest/sources/kafka-run.ts';
import { startKafka } from '../support/kafka.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';
import { folderContents } from '../support/store-contents.ts';

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

const TOPIC = 'evenshare.decisions';
const LETTERS = 'evenshare.dead-letters';

test('from topics that are created to a dead letter that a mapping mends, with the credentials of the environment', {
  timeout: 240_000,
}, async (context) => {
  const kafka = await startKafka(context);
  const env = { KAFKA_PASSWORD: kafka.user.password };
  const section = (more: string): string =>
    `store: { kind: embedded, path: data }\nkafka:\n  brokers: ["${kafka.saslBootstrap}"]\n` +
    `  sasl: { mechanism: scram-sha-512, username: ${kafka.user.username}, password: "\${KAFKA_PASSWORD}" }\n${more}`;
  await sandbox.write('evenshare.yaml', section(''));
  const run = async (...args: string[]) => {
    const result = await sandbox.run(args, { env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return result.stdout;
  };

  const missing = await sandbox.run(['up', '--port', '0'], { env });
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain(
    `topic "${TOPIC}" is not on the Kafka brokers: create it with "evenshare topics create"`,
  );
  expect(await run('topics', 'create', '--partitions', '2', '--dry-run')).toContain(
    `${TOPIC}: would be created, partitions 2`,
  );
  expect(await run('topics', 'create', '--partitions', '2')).toBe(
    `${TOPIC}: created, partitions 2, retention 7d\n${LETTERS}: created, partitions 1, retention 30d\n`,
  );
  expect(await run('topics', 'create', '--partitions', '3')).toBe(
    `${TOPIC}: exists and differs, left as it is: partitions 2 (asked: 3)\n${LETTERS}: exists, partitions 1, replication 1, retention 30d\n`,
  );

  await send(kafka, TOPIC, [
    { value: JSON.stringify({ request_id: 'good', tenant: 'a', arrived_at: Date.now() }) },
    { value: JSON.stringify({ request_id: 'bad', arrived_at: Date.now() }) },
  ]);
  const up = await sandbox.up(['--port', '0'], { env });
  while ((await endOffsets(kafka, LETTERS))[0] !== 1);
  const body = await (await fetch(`${up.address}/metrics`)).text();
  expect(body).toContain('evenshare_ingest_dead_letters_total{code="missing_field"} 1');
  up.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);

  const [letter] = JSON.parse(await run('dlq', 'list', '--source', `kafka:${TOPIC}/`, '--json')).letters;
  expect(letter).toMatchObject({ code: 'missing_field', state: 'waiting' });
  await sandbox.write('evenshare.yaml', section('  tenant: the-one-who-was-missing\n'));
  expect(await run('dlq', 'retry', letter.id)).toMatch(/^stored 1 \(1 events, 0 of them known\)/);
  expect(await run('dlq', 'retry', letter.id)).toMatch(/^stored 0 .*stored before 1/);
  expect(await run('dlq', 'list')).toBe('no dead letters\n');
  expect(await folderContents(sandbox.path('data'))).toMatchObject({ requests: 2, letters: 1 });
});
