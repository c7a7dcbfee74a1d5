import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import type { BatchWriter } from '../../../ingest/index.ts';
import type { KafkaConnection } from '../../../ingest/sources/kafka-client.ts';
import { createEventProducer } from '../../../ingest/sources/kafka-producer.ts';
import { startKafkaSource } from '../../../ingest/sources/kafka-source.ts';
import { checkKafkaTopic } from '../../../ingest/sources/open-kafka-messages.ts';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
import { startKafka, type TestKafka } from '../../support/kafka.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import {
  caughtUp,
  collectingLog,
  eventMessages,
  send,
  sourceOptions,
  stored,
  withAdmin,
  withSources,
  writerOf,
} from './kafka-run.ts';

const KEY_PASSWORD = 'of-the-key';
const SECRET = 'never-to-be-printed';

let folder: string;
let ours: Certificates;
let others: Certificates;
let temporary: TemporaryStore;
let writer: BatchWriter;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenshare-tls-'));
  [ours, others] = await Promise.all([
    makeCertificates(join(folder, 'ours'), KEY_PASSWORD),
    makeCertificates(join(folder, 'others'), KEY_PASSWORD),
  ]);
  temporary = await temporaryStore();
  writer = writerOf(temporary.store);
});
afterAll(async () => {
  await temporary.remove();
  await rm(folder, { recursive: true, force: true });
});

const start = (context: TestContext): Promise<TestKafka> =>
  startKafka(context, { tls: { keystore: ours.server, truststore: ours.ca } });

/** Five events in a topic of the name. */
async function filled(kafka: TestKafka, topic: string): Promise<void> {
  await kafka.createTopic(topic, 1);
  await send(kafka, topic, eventMessages(topic, 5));
}

async function reads(kafka: TestKafka, topic: string, connection: KafkaConnection): Promise<void> {
  await withSources([{ ...sourceOptions('', topic, writer), connection }], (source) =>
    caughtUp(kafka, topic, [source]),
  );
  expect((await stored(temporary.store, topic)).requests).toBe(5);
}

const refusal = (topic: string, connection: KafkaConnection): Promise<unknown> =>
  startKafkaSource({ ...sourceOptions('', topic, writer), connection }).then(
    (source) => source.stop().then(() => 'it started'),
    (error: unknown) => error,
  );

describe('Kafka over TLS', () => {
  const brokers = (kafka: TestKafka): string[] => [kafka.tlsBootstrap ?? ''];

  it('is read with the authority, certificate and key of files, also with a key behind a password', async (context) => {
    const kafka = await start(context);
    await filled(kafka, 'tls');
    const { cert, key } = ours.client;
    for (const ssl of [
      { caFile: ours.ca, certFile: cert, keyFile: key },
      { caFile: ours.ca, certFile: cert, keyFile: ours.lockedKey, keyPassword: KEY_PASSWORD },
    ]) {
      await reads(kafka, 'tls', { brokers: brokers(kafka), ssl });
    }
  });

  it('is refused in words that name the file to mend', async (context) => {
    const kafka = await start(context);
    await filled(kafka, 'tls-refused');
    const { cert, key } = ours.client;
    const broken = join(folder, 'broken.pem');
    await writeFile(broken, 'no certificate');
    const trusting = { caFile: ours.ca };
    for (const [why, ssl, code, words] of [
      ['the system does not know the authority', true, 'EVS_KAFKA_AUTH', 'kafka.ssl.ca'],
      ['another authority', { caFile: others.ca }, 'EVS_KAFKA_AUTH', 'kafka.ssl.ca'],
      ['no certificate of the client', trusting, 'EVS_KAFKA_AUTH', 'kafka.ssl.cert'],
      [
        'a certificate of strangers',
        { ...trusting, certFile: others.client.cert, keyFile: others.client.key },
        'EVS_KAFKA_AUTH',
        'kafka.ssl.cert',
      ],
      ['a file that is not there', { caFile: join(folder, 'absent') }, 'EVS_CONFIG', 'kafka.ssl.ca'],
      ['a file that is no PEM', { caFile: broken }, 'EVS_CONFIG', 'kafka.ssl.ca'],
      ["another one's key", { ...trusting, certFile: cert, keyFile: others.client.key }, 'EVS_CONFIG', 'kafka.ssl'],
      [
        'a key without its password',
        { ...trusting, certFile: cert, keyFile: ours.lockedKey },
        'EVS_CONFIG',
        'kafka.ssl',
      ],
      ['a key for a certificate', { ...trusting, certFile: key, keyFile: key }, 'EVS_CONFIG', 'kafka.ssl.cert'],
    ] as const) {
      const error = await refusal('tls-refused', { brokers: brokers(kafka), ssl });
      expect(error, why).toMatchObject({ code, retryable: false, message: expect.stringContaining(words) });
    }
  });

  it('says so where the brokers speak none', async (context) => {
    const kafka = await start(context);
    const error = await refusal('tls', { brokers: [kafka.bootstrap], ssl: { caFile: ours.ca } });
    expect(error).toMatchObject({ message: expect.stringMatching(/kafka\.ssl/) });
  });
});

describe('Kafka with SASL over TLS', () => {
  it.for(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'is read with %s, and refuses a wrong password',
    async (mechanism, context) => {
      const kafka = await start(context);
      const topic = `sasl-${mechanism}`;
      await filled(kafka, topic);
      const connect = (password: string): KafkaConnection => ({
        brokers: [kafka.saslTlsBootstrap ?? ''],
        ssl: { caFile: ours.ca },
        sasl: { mechanism, username: kafka.user.username, password },
      });
      await reads(kafka, topic, connect(kafka.user.password));
      const error = await refusal(topic, connect(SECRET));
      expect(error).toMatchObject({ code: 'EVS_KAFKA_AUTH', message: expect.stringContaining('kafka.sasl') });
      expect(String(error)).not.toContain(SECRET);
    },
  );
});

/** A token that nobody signed: the trial broker takes it. */
function unsigned(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}
const tokenFor = (subject: string, lifeS: number): string => {
  const nowS = Math.floor(systemClock.nowMs() / 1_000);
  return unsigned({ sub: subject, iat: nowS - 60, exp: nowS + lifeS });
};

describe('Kafka with tokens (OAUTHBEARER)', () => {
  let endpoint: Server;
  let tokenEndpoint: string;
  /** What the endpoint was asked, and how it answers. */
  const asked: { authorization: string | undefined; body: string }[] = [];
  let answer: () => { readonly status: number; readonly body: string };
  const answerToken = (token: string) => () => ({
    status: 200,
    body: JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 300 }),
  });
  beforeAll(async () => {
    endpoint = createServer(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      asked.push({ authorization: request.headers.authorization, body: Buffer.concat(chunks).toString() });
      const { status, body } = answer();
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    const address = endpoint.address();
    tokenEndpoint = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/token`;
  });
  afterAll(() => new Promise((resolve) => endpoint.close(resolve)));

  const connect = (kafka: TestKafka, given: { token: string } | { endpoint: string }): KafkaConnection => ({
    brokers: [kafka.saslTlsBootstrap ?? ''],
    ssl: { caFile: ours.ca },
    sasl:
      'token' in given
        ? { mechanism: 'oauthbearer', token: given.token }
        : {
            mechanism: 'oauthbearer',
            credentials: {
              tokenEndpoint: given.endpoint,
              clientId: 'even share',
              clientSecret: SECRET,
              scope: 'kafka',
            },
          },
  });

  it('is read with a token of the environment, and with one of an endpoint', async (context) => {
    const kafka = await start(context);
    await filled(kafka, 'oauth');
    await reads(kafka, 'oauth', connect(kafka, { token: tokenFor('gateway', 300) }));
    answer = answerToken(tokenFor('gateway', 300));
    await reads(kafka, 'oauth', connect(kafka, { endpoint: tokenEndpoint }));
    const basic = Buffer.from(`even+share:${SECRET}`).toString('base64');
    expect(asked[0]).toEqual({
      authorization: `Basic ${basic}`,
      body: 'grant_type=client_credentials&scope=kafka',
    });
  });

  it('is refused in words that tell a token from its endpoint', async (context) => {
    const kafka = await start(context);
    await filled(kafka, 'oauth-refused');
    const try_ = (given: { token: string } | { endpoint: string }) => refusal('oauth-refused', connect(kafka, given));
    expect(await try_({ token: tokenFor('gateway', -30) })).toMatchObject({
      code: 'EVS_KAFKA_AUTH',
      message: expect.stringContaining('kafka.sasl'),
    });
    for (const [status, body, expected] of [
      [
        401,
        '{"error":"invalid_client"}',
        { code: 'EVS_KAFKA_AUTH', message: expect.stringContaining('client_secret') },
      ],
      [200, '<html>', { code: 'EVS_KAFKA_AUTH', message: expect.stringContaining('token_endpoint') }],
      [200, '{"access_token":"a\\u0001b"}', { code: 'EVS_KAFKA_AUTH' }],
      [200, ' '.repeat(100_000), { code: 'EVS_KAFKA_AUTH' }],
      [503, '', { code: 'EVS_KAFKA_UNREACHABLE', retryable: true }],
    ] as const) {
      answer = () => ({ status, body });
      const error = await try_({ endpoint: tokenEndpoint });
      expect(error, `${status} ${body.slice(0, 20)}`).toMatchObject(expected);
      expect(String(error)).not.toContain(SECRET);
    }
    expect(await try_({ endpoint: 'http://127.0.0.1:9/token' })).toMatchObject({
      code: 'EVS_KAFKA_UNREACHABLE',
      message: expect.stringContaining('the token endpoint does not answer'),
    });
  });
});

describe('a start without the rights that it needs', () => {
  const allow = (kafka: TestKafka, topic: string, operations: readonly AclOperationTypes[]) =>
    withAdmin(kafka, (admin) =>
      admin.createAcls({
        acl: [...operations, AclOperationTypes.ALTER_CONFIGS].map((operation) => ({
          resourceType: AclResourceTypes.TOPIC,
          resourceName: topic,
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: `User:${kafka.user.username}`,
          host: '*',
          operation,
          permissionType: AclPermissionTypes.ALLOW,
        })),
      }),
    );
  const connect = (kafka: TestKafka): KafkaConnection => ({
    brokers: [kafka.saslBootstrap ?? ''],
    sasl: { mechanism: 'plain', ...kafka.user },
  });
  const { log } = collectingLog();

  it.for([
    ['hidden', [], 'Read', 'topic "hidden": grant it Describe'],
    ['only-seen', [AclOperationTypes.DESCRIBE], 'Read', 'read topic "only-seen": grant it Read'],
    ['only-read', [AclOperationTypes.READ], 'Write', 'write topic "only-read": grant it Write'],
    ['only-written', [AclOperationTypes.WRITE], 'Read', 'read topic "only-written": grant it Read'],
  ] as const)('names the right on topic %s', async ([topic, operations, right, words], context) => {
    const kafka = await start(context);
    await kafka.createTopic(topic, 1);
    await allow(kafka, topic, operations);
    const check = checkKafkaTopic(connect(kafka), { topic, right }, log);
    await expect(check).rejects.toMatchObject({
      code: 'EVS_KAFKA_AUTH',
      message: expect.stringContaining(words),
    });
  });

  it('finds those that it needs, and the topic that is missing', async (context) => {
    const kafka = await start(context);
    await kafka.createTopic('granted', 1);
    await allow(kafka, 'granted', [AclOperationTypes.READ]);
    await expect(checkKafkaTopic(connect(kafka), { topic: 'granted', right: 'Read' }, log)).resolves.toBeUndefined();
    const absent = { topic: 'not-there', setting: 'kafka.dead_letters_topic', right: 'Write' } as const;
    await expect(checkKafkaTopic(connect(kafka), absent, log)).rejects.toMatchObject({
      code: 'EVS_KAFKA_TOPIC',
      message:
        'topic "not-there" is not on the Kafka brokers: create it with "evenshare topics create", or name another with kafka.dead_letters_topic',
    });
    const producer = createEventProducer({ connection: connect(kafka), topic: 'granted', clock: systemClock, log });
    await expect(producer).rejects.toMatchObject({ code: 'EVS_KAFKA_AUTH' });
  });
});
