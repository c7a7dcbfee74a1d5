// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file's own placeholders
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load-config.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenshare-config-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ENV = { KAFKA_PASSWORD: 'hunter2', KAFKA_TOKEN: 'a.b.c', NOT_A_TOKEN: 'a b' };

async function load(kafka: string) {
  const path = join(folder, 'evenshare.yaml');
  await writeFile(path, `kafka:\n  brokers: ["k:9092"]\n${kafka.replace(/^/gm, '  ')}\n`);
  return (await loadConfig(path, ENV)).kafka;
}

describe('the section kafka', () => {
  it('has a default for everything but the brokers', async () => {
    expect(await load('')).toMatchObject({
      connection: { brokers: ['k:9092'], clientId: 'evenshare' },
      topic: 'evenshare.decisions',
      deadLettersTopic: 'evenshare.dead-letters',
      hasDeadLettersTopic: false,
      groupId: 'evenshare',
      fromBeginning: true,
      startAtMs: null,
      format: 'evenshare',
    });
  });

  it.each([
    ['ssl: true', { ssl: true }],
    [
      'ssl: { ca: a.pem, cert: c.pem, key: k.pem, key_password: "${KAFKA_PASSWORD}" }',
      { ssl: { caFile: 'a.pem', certFile: 'c.pem', keyFile: 'k.pem', keyPassword: 'hunter2' } },
    ],
    [
      'sasl: { mechanism: plain, username: u, password: "${KAFKA_PASSWORD}" }',
      { sasl: { mechanism: 'plain', username: 'u', password: 'hunter2' } },
    ],
    [
      'sasl: { mechanism: oauthbearer, token: "${KAFKA_TOKEN}" }',
      { sasl: { mechanism: 'oauthbearer', token: 'a.b.c' } },
    ],
    [
      'sasl: { mechanism: oauthbearer, token_endpoint: "https://id/token", client_id: c, client_secret: "${KAFKA_PASSWORD}", scope: s }',
      {
        sasl: {
          mechanism: 'oauthbearer',
          credentials: { tokenEndpoint: 'https://id/token', clientId: 'c', clientSecret: 'hunter2', scope: 's' },
        },
      },
    ],
  ])('%s', async (text, connection) => {
    expect((await load(text))?.connection).toMatchObject(connection);
  });

  it('begins where it is told, and may have no topic for dead letters', async () => {
    expect(await load('start_at: 2026-11-01T10:00:00Z')).toMatchObject({
      startAtMs: Date.parse('2026-11-01T10:00:00Z'),
    });
    expect(await load('dead_letters_topic: ""')).toMatchObject({ deadLettersTopic: null });
    expect(await load('dead_letters_topic: letters')).toMatchObject({
      deadLettersTopic: 'letters',
      hasDeadLettersTopic: true,
    });
  });

  it.each([
    [
      'sasl: { mechanism: plain, username: u, password: hunter3 }',
      'kafka.sasl.password: a secret is not written here: write "${NAME}"',
    ],
    [
      'sasl: { mechanism: plain, username: u, password: "x${KAFKA_PASSWORD}" }',
      'kafka.sasl.password: a secret is not written here',
    ],
    ['sasl: { mechanism: oauthbearer, token: hunter3 }', 'kafka.sasl.token: a secret'],
    [
      'sasl: { mechanism: oauthbearer, token_endpoint: "https://i", client_id: c, client_secret: hunter3 }',
      'kafka.sasl.client_secret: a secret',
    ],
    ['ssl: { key_password: hunter3 }', 'kafka.ssl.key_password: a secret'],
    ['sasl: { mechanism: plain, username: u, password: "${ABSENT}" }', 'the environment variable ABSENT is not set'],
    ['sasl: { mechanism: plain, username: u }', 'kafka.sasl: plain takes username, password'],
    [
      'sasl: { mechanism: scram-sha-256, username: u, password: "${KAFKA_PASSWORD}", scope: s }',
      'takes username, password and not scope',
    ],
    [
      'sasl: { mechanism: oauthbearer }',
      'kafka.sasl: oauthbearer takes token_endpoint, client_id, client_secret (or token alone)',
    ],
    ['sasl: { mechanism: oauthbearer, token: "${NOT_A_TOKEN}" }', 'kafka.sasl.token is no bearer token'],
    [
      'sasl: { mechanism: oauthbearer, token_endpoint: "http://id/token", client_id: c, client_secret: "${KAFKA_PASSWORD}" }',
      'it must be https://',
    ],
    ['sasl: { mechanism: gssapi }', 'kafka.sasl.mechanism: must be one of'],
    ['ssl: { cert: c.pem }', 'kafka.ssl: cert and key are named together'],
    ['ssl: { pem: c.pem }', 'kafka.ssl: unknown key "pem"'],
    ['from_beginning: false\nstart_at: 2026-11-01T10:00:00Z', 'exclude each other'],
    ['start_at: yesterday', 'kafka.start_at'],
    ['dead_letters_topic: evenshare.decisions', 'would be read as events again'],
    ['dead_letters_topic: "a b"', 'kafka.dead_letters_topic'],
  ])('refuses %s', async (text, words) => {
    const failure: unknown = await load(text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'EVS_CONFIG', message: expect.stringContaining(words) });
    expect(String(failure)).not.toMatch(/hunter/);
  });
});
