import { join } from 'node:path';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import { type BatchWriter, findAdapter } from '../../../ingest/index.ts';
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
  withAdmin,
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
        message:
          'topic "missing" is not on the Kafka brokers: create it with "evenshare topics create", or name another with kafka.topic',
      });
    }
    const { log } = collectingLog();
    const connection = { brokers: [kafka.bootstrap] };
    await expect(createEventProducer({ connection, topic: 'missing', clock: systemClock, log })).rejects.toMatchObject({
      code: 'EVS_KAFKA_TOPIC',
    });
  });

  it.for(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'says that the credentials are refused, and reads with the right ones (%s)',
    async (mechanism, context) => {
      const kafka = await startKafka(context);
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
        caughtUp(kafka, topic, [source]),
      );
    },
  );

  it('says so when the broker asks for credentials that are not configured', async (context) => {
    const kafka = await startKafka(context);
    const start = startKafkaSource(sourceOptions(kafka.saslBootstrap ?? '', 'secured', writer));
    await expect(start).rejects.toMatchObject({ code: 'EVS_KAFKA_UNREACHABLE' });
  });

  it('refuses a format whose records are no messages', async () => {
    const options = { ...sourceOptions(NOBODY, 'rows', writer), adapter: findAdapter('csv') };
    await expect(startKafkaSource(options)).rejects.toMatchObject({ code: 'EVS_USAGE' });
  });
});

describe('a broker that goes away', () => {
  it.for([
    ['stopped in order', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const)(
    'loses nothing when it is %s and comes back, says so once, and lets go of who stops',
    async ([, signal], context) => {
      const kafka = await startKafka(context);
      const topic = `back-after-${signal.toLowerCase()}`;
      await kafka.createTopic(topic, 3);
      await kafka.createTopic(`${topic}-left`, 1);
      const events = eventMessages(topic, 900);
      const { log, lines } = collectingLog();
      await send(kafka, topic, events.slice(0, 600));
      // A broker that is back waits for the member that it knew until its session ends.
      const more = { log, sessionTimeoutMs: 3_000, limits: { maxBatchMessages: 100 } };
      const left = await startKafkaSource(sourceOptions(kafka.bootstrap, `${topic}-left`, writer));
      await withSources([sourceOptions(kafka.bootstrap, topic, writer, more)], async (source) => {
        await eventually(() => expect(source.progress().partitions.length).toBe(3));
        await kafka.halt(signal);
        await eventually(() => expect(lines.length).toBe(1));
        const { lastAdvanceMs } = source.progress();
        await left.stop();
        await expect(left.done).resolves.toBeUndefined();
        await kafka.start();
        await send(kafka, topic, events.slice(600));
        await caughtUp(kafka, topic, [source]);
        expect(source.progress().lastAdvanceMs).toBeGreaterThan(lastAdvanceMs);
      });
      expect((await stored(temporary.store, topic)).requests).toBe(900);
      // One that stops in order may say first that it serves no groups any more.
      const fails = `reading topic "${topic}" from Kafka fails and is tried again: `;
      expect(lines.map((line) => (line.startsWith(fails) ? 'fails' : line))).toEqual([
        'fails',
        `reading topic "${topic}" from Kafka works again`,
      ]);
    },
  );
});

describe('what a topic may do to its readers', () => {
  it('reads only what transactions committed, and is not behind for their records', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('transactions', 1);
    const events = eventMessages('transactions', 30);
    const client = new Kafka({ brokers: [kafka.bootstrap], logLevel: logLevel.NOTHING });
    const producer = client.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      transactionalId: 'gateway',
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    const inTransaction = async (from: number, isKept: boolean): Promise<void> => {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'transactions', messages: events.slice(from, from + 10) });
      await (isKept ? transaction.commit() : transaction.abort());
    };
    // Each transaction ends with a record of its own, written after its end is answered.
    await withSources([sourceOptions(kafka.bootstrap, 'transactions', writer)], async (source) => {
      await inTransaction(0, true);
      await eventually(async () => expect(await caughtUp(kafka, 'transactions', [source])).toBe(11));
      await inTransaction(10, false);
      await inTransaction(20, true);
      await eventually(async () => expect(await caughtUp(kafka, 'transactions', [source])).toBe(33));
      expect(source.progress().partitions[0]?.lagMessages).toBe(0);
    });
    await producer.disconnect();
    expect(await stored(temporary.store, 'transactions')).toEqual({ requests: 20, deliveries: 20 });
  });

  it('reads a topic that was made again, and its new partition, from the beginning', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('remade', 2);
    await send(kafka, 'remade', eventMessages('remade', 400));
    const options = sourceOptions(kafka.bootstrap, 'remade', writer);
    await withSources([options], (source) => caughtUp(kafka, 'remade', [source]));
    await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: ['remade'] }));
    await eventually(() => kafka.createTopic('remade', 3));
    await eventually(() => send(kafka, 'remade', eventMessages('remade-again', 90)));
    const deliveries = await withSources([options], (source) => caughtUp(kafka, 'remade', [source]));
    expect(await stored(temporary.store, 'remade-again')).toEqual({ requests: 90, deliveries });
  });

  it.for(['gzip', 'snappy', 'lz4', 'zstd'])('is read when its messages are packed with %s', async (codec, context) => {
    const kafka = await startKafka(context);
    const topic = `packed-${codec}`;
    const configEntries = [{ name: 'compression.type', value: codec }];
    await withAdmin(kafka, (admin) =>
      admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1, configEntries }] }),
    );
    // Batches of one message, of many, and of more than one block.
    const events = eventMessages(topic, 3_000);
    await send(kafka, topic, events.slice(0, 1));
    await send(kafka, topic, events.slice(1));
    await withSources([sourceOptions(kafka.bootstrap, topic, writer)], (source) => caughtUp(kafka, topic, [source]));
    expect(await stored(temporary.store, topic)).toEqual({ requests: 3_000, deliveries: 3_000 });
  });

  it('begins at a moment when it is told to, and only then', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('moment', 2);
    const startAtMs = systemClock.nowMs() - 60_000;
    const at = (ms: number, messages: ReturnType<typeof eventMessages>) =>
      messages.map((message) => ({ ...message, partition: 0, timestamp: String(ms) }));
    await send(kafka, 'moment', at(startAtMs - 1, eventMessages('moment-before', 20)));
    await send(kafka, 'moment', at(startAtMs, eventMessages('moment', 30)));
    const options = sourceOptions(kafka.bootstrap, 'moment', writer, { startAtMs });
    await withSources([options], (source) => caughtUp(kafka, 'moment', [source]));
    expect((await stored(temporary.store, 'moment-before')).requests).toBe(0);
    expect((await stored(temporary.store, 'moment')).requests).toBe(30);
    await send(kafka, 'moment', at(startAtMs - 1, eventMessages('moment-late', 10)));
    await withSources([options], (source) => caughtUp(kafka, 'moment', [source]));
    expect((await stored(temporary.store, 'moment-late')).requests, 'what is committed goes before').toBe(10);
  });
});

describe('events on their way to the topic', () => {
  const connect = async (
    bootstrap: string,
    topic: string,
    more: { maxPendingBytes?: number; deliveryLimitMs?: number } = {},
  ) =>
    createEventProducer({
      connection: { brokers: [bootstrap] },
      topic,
      clock: systemClock,
      log: collectingLog().log,
      ...more,
    });

  it('are all there once the call is answered, however large it is', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('produced', 3);
    const producer = await connect(kafka.bootstrap, 'produced');
    const text = 'x'.repeat(1_000);
    const lines = eventMessages('produced', 3_000).map(({ key, value }) => ({
      key,
      value: Buffer.from(value.replace('{', `{"note":"${text}",`)),
    }));
    await Promise.all([
      producer.produce(lines.slice(0, 2_990)),
      producer.produce(lines.slice(2_980)),
      producer.produce([]),
    ]);
    expect(producer.pendingBytes).toBe(0);
    await producer.close();
    const options = sourceOptions(kafka.bootstrap, 'produced', writer);
    const deliveries = await withSources([options], (source) => caughtUp(kafka, 'produced', [source]));
    expect(deliveries).toBeGreaterThanOrEqual(3_010);
    expect(await stored(temporary.store, 'produced')).toEqual({ requests: 3_000, deliveries });
  });

  it('are refused when too many wait, and when one is larger than the topic takes', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('narrow', 1);
    const producer = await connect(kafka.bootstrap, 'narrow', { maxPendingBytes: 3_000_000 });
    const large = { key: 'large', value: 'x'.repeat(2_000_000) };
    const first = producer.produce([large]);
    await expect(producer.produce([large])).rejects.toMatchObject({ code: 'EVS_BUSY', retryable: true });
    const small = producer.produce([{ key: 'small', value: '{}' }]);
    await expect(first).rejects.toMatchObject({
      code: 'EVS_KAFKA_TOPIC',
      message: 'an event is larger than topic "narrow" takes: raise its max.message.bytes',
    });
    await expect(small).resolves.toBeUndefined();
    await producer.close();
  });

  it('are given up after the limit while no broker answers, and go through when one is back in time', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('patient', 1);
    const [impatient, patient] = await Promise.all([
      connect(kafka.bootstrap, 'patient', { deliveryLimitMs: 0 }),
      connect(kafka.bootstrap, 'patient', { deliveryLimitMs: 60_000 }),
    ]);
    await kafka.halt();
    const lines = eventMessages('patient', 10);
    const waiting = patient.produce(lines);
    await expect(impatient.produce(lines)).rejects.toMatchObject({ code: 'EVS_KAFKA_UNREACHABLE', retryable: true });
    await kafka.start();
    await waiting;
    await Promise.all([impatient.close(), patient.close()]);
    await withSources([sourceOptions(kafka.bootstrap, 'patient', writer)], () =>
      eventually(async () => expect((await stored(temporary.store, 'patient')).requests).toBe(10)),
    );
  });
});

describe('an idle connection to a broker', () => {
  let program = '';
  beforeAll(async () => {
    program = await bundleProgram(join(import.meta.dirname, 'kafka-idle-program.ts'));
  });

  const countTimers = async (bootstrap: string, guard: 'guarded' | 'plain') => {
    const child = startProgram(program, [bootstrap, guard]);
    const counted: unknown = JSON.parse(await child.nextLine());
    await child.finish();
    return counted;
  };

  it('sets no timer and warns of nothing, though kafkajs by itself sets one every millisecond', async (context) => {
    const kafka = await startKafka(context);
    expect(await countTimers(kafka.bootstrap, 'guarded')).toEqual({ timers: 0, warnings: [] });
    const { timers } = Object(await countTimers(kafka.bootstrap, 'plain'));
    expect(timers).toBeGreaterThan(20);
  });
});
