import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import type { BatchWriter } from '../../../ingest/index.ts';
import type { KafkaConnection } from '../../../ingest/sources/kafka-client.ts';
import { createEventProducer } from '../../../ingest/sources/kafka-producer.ts';
import { startKafkaSource } from '../../../ingest/sources/kafka-source.ts';
import { bundleProgram, startProgram } from '../../support/child-program.ts';
import { startKafka } from '../../support/kafka.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import {
  caughtUp,
  collectingLog,
  eventMessages,
  eventually,
  send,
  sourceOptions,
  stored,
  withSources,
  writerOf,
} from './kafka-run.ts';

let temporary: TemporaryStore;
let writer: BatchWriter;
beforeAll(async () => {
  temporary = await temporaryStore();
  writer = writerOf(temporary.store);
});
afterAll(async () => temporary.remove());

/** Where nobody listens: below the ports that the system gives away. */
const NOBODY = '127.0.0.1:9';

describe('a start that cannot succeed', () => {
  it('says that no broker answers', async () => {
    const start = startKafkaSource(sourceOptions(NOBODY, 'absent', writer));
    await expect(start).rejects.toMatchObject({
      code: 'EVS_KAFKA_UNREACHABLE',
      retryable: true,
      message:
        'no Kafka broker answers (ECONNREFUSED): check kafka.brokers and that Kafka is up, and kafka.ssl and kafka.sasl if it asks for them',
    });
  });

  it('says that the topic is missing, and does not make it', async (context) => {
    const kafka = await startKafka(context);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(startKafkaSource(sourceOptions(kafka.bootstrap, 'missing', writer))).rejects.toMatchObject({
        code: 'EVS_KAFKA_TOPIC',
        retryable: false,
        message: 'topic "missing" is not on the Kafka brokers: create it, or name another with kafka.topic',
      });
    }
    const { log } = collectingLog();
    const connection = { brokers: [kafka.bootstrap] };
    await expect(createEventProducer({ connection, topic: 'missing', clock: systemClock, log })).rejects.toMatchObject({
      code: 'EVS_KAFKA_TOPIC',
    });
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'says that the credentials are refused, and reads with the right ones (%s)',
    async (mechanism) => {
      const kafka = await startKafka(context());
      const topic = `secured-${mechanism}`;
      await kafka.createTopic(topic, 1);
      await send(kafka, topic, eventMessages(topic, 5));
      const connect = (password: string): KafkaConnection => ({
        brokers: [kafka.saslBootstrap ?? ''],
        sasl: { mechanism, username: kafka.user.username, password },
      });
      const options = sourceOptions('', topic, writer);
      const refused = startKafkaSource({ ...options, connection: connect('a guess') });
      await expect(refused).rejects.toMatchObject({ code: 'EVS_KAFKA_AUTH', retryable: false });
      await expect(refused).rejects.not.toThrow('a guess');
      await withSources([{ ...options, connection: connect(kafka.user.password) }], (source) =>
        caughtUp([source], 1, 5),
      );
    },
  );

  it('says so when the broker asks for credentials that are not configured', async (context) => {
    const kafka = await startKafka(context);
    const start = startKafkaSource(sourceOptions(kafka.saslBootstrap ?? '', 'secured', writer));
    await expect(start).rejects.toMatchObject({ code: 'EVS_KAFKA_UNREACHABLE' });
  });

  it('refuses a format whose records are no messages', async () => {
    const { findAdapter } = await import('../../../ingest/index.ts');
    const options = { ...sourceOptions(NOBODY, 'rows', writer), adapter: findAdapter('csv') };
    await expect(startKafkaSource(options)).rejects.toMatchObject({ code: 'EVS_USAGE' });
  });
});
