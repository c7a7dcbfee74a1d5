import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../cli/clock.ts';
import { deadLetterMessage, withDeadLetterTopic } from '../../ingest/dead-letter-topic.ts';
import { type DeadLetter, deadLetterId } from '../../ingest/dead-letters.ts';
import type { BatchWriter } from '../../ingest/index.ts';
import { createEventProducer, type EventProducer } from '../../ingest/sources/kafka-producer.ts';
import { startKafkaSource } from '../../ingest/sources/kafka-source.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { startKafka, type TestKafka } from '../support/kafka.ts';
import { type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';
import {
  caughtUp,
  collectingLog,
  committedOffsets,
  eventMessages,
  eventually,
  lettersOf,
  send,
  sourceOptions,
  withAdmin,
  withSources,
  writerOf,
} from './sources/kafka-run.ts';

let temporary: TemporaryStore;
let writer: BatchWriter;
beforeAll(async () => {
  temporary = await temporaryStore();
  writer = writerOf(temporary.store);
});
afterAll(() => temporary.remove());

interface Message {
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** All that is in a topic, in order of offsets. */
async function contents(kafka: TestKafka, topic: string): Promise<Message[]> {
  const client = new Kafka({ brokers: [kafka.bootstrap], logLevel: logLevel.NOTHING });
  const consumer = client.consumer({ groupId: `look-${topic}-${systemClock.nowMs()}` });
  const [ends] = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const found: Message[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, value, headers } }) => {
        const texts = Object.entries(headers ?? {}).map(([name, header]) => [name, String(header)]);
        found.push({ key: String(key), value: value ?? Buffer.of(), headers: Object.fromEntries(texts) });
      },
    });
    await eventually(() => expect(found.length).toBe(Number(ends?.high)));
  } finally {
    await consumer.disconnect();
  }
  return found;
}

const producerTo = (kafka: TestKafka, topic: string): Promise<EventProducer> =>
  createEventProducer({
    connection: { brokers: [kafka.bootstrap] },
    topic,
    setting: 'kafka.dead_letters_topic',
    clock: systemClock,
    log: collectingLog().log,
  });

const HOSTILE = Buffer.from([0x7b, 0xff, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0x0d, 0x0a]);

describe('dead letters on their topic', () => {
  it('are there with their bytes and where they came from, once a batch is committed', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('events', 1);
    await kafka.createTopic('letters', 1);
    await send(kafka, 'events', [...eventMessages('events', 3), { value: HOSTILE }, { value: '{"tenant":"a"}' }]);
    const producer = await producerTo(kafka, 'letters');
    const both = withDeadLetterTopic(writer, producer);
    await withSources([sourceOptions(kafka.bootstrap, 'events', both)], (source) =>
      caughtUp(kafka, 'events', [source]),
    );
    await producer.close();
    const [first, second] = await contents(kafka, 'letters');
    const id = deadLetterId({ source: 'kafka:events/0', position: 3, raw: HOSTILE });
    expect(first).toEqual({
      key: id,
      value: HOSTILE,
      headers: {
        'evenshare-id': id,
        'evenshare-code': 'not_utf8',
        'evenshare-detail': 'the message is not UTF-8: let the producer send JSON text',
        'evenshare-source': 'kafka:events/0',
        'evenshare-position': '3',
        'evenshare-topic': 'events',
        'evenshare-partition': '0',
        'evenshare-offset': '3',
        'evenshare-format': 'evenshare',
        'evenshare-received-at-ms': expect.stringMatching(/^\d{13}$/),
      },
    });
    expect(second?.headers).toMatchObject({ 'evenshare-code': 'missing_field', 'evenshare-offset': '4' });
  });

  it('come before the offset and after the store; cut off between, the table has each once, the topic the same keys', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('cut', 1);
    await kafka.createTopic('cut-letters', 1);
    await send(kafka, 'cut', [...eventMessages('cut', 3), { value: 'no' }, { value: 'never' }]);
    const real = await producerTo(kafka, 'cut-letters');
    const seen: number[] = [];
    const dying: EventProducer = {
      pendingBytes: 0,
      close: () => real.close(),
      produce: async (lines) => {
        seen.push((await lettersOf(temporary.store, 'cut')).length, ...(await committedOffsets(kafka, 'cut')));
        await real.produce(lines);
        throw new Error('the process ends here');
      },
    };
    const cut = await startKafkaSource(sourceOptions(kafka.bootstrap, 'cut', withDeadLetterTopic(writer, dying)));
    await expect(cut.done).rejects.toThrow('the process ends here');
    expect(seen[0], 'stored before').toBe(2);
    expect(seen[1], 'and nothing was committed').toBeLessThanOrEqual(0);
    const again = withDeadLetterTopic(writer, real);
    await withSources([sourceOptions(kafka.bootstrap, 'cut', again)], (source) => caughtUp(kafka, 'cut', [source]));
    await real.close();
    expect((await lettersOf(temporary.store, 'cut')).map(({ position }) => position)).toEqual([3, 4]);
    const keys = (await contents(kafka, 'cut-letters')).map(({ key }) => key);
    expect(keys.length).toBe(4);
    expect(new Set(keys).size).toBe(2);
  });

  it('hold up nothing while the topic refuses them for their size: then only their beginning goes there', async (context) => {
    const kafka = await startKafka(context);
    const configEntries = [{ name: 'max.message.bytes', value: '20000' }];
    await withAdmin(kafka, (admin) =>
      admin.createTopics({ waitForLeaders: true, topics: [{ topic: 'narrow', numPartitions: 1, configEntries }] }),
    );
    const producer = await producerTo(kafka, 'narrow');
    const raw = Buffer.from(`[${'x'.repeat(50_000)}`);
    const letter: DeadLetter = {
      receivedAtMs: 1,
      code: 'not_json',
      detail: 'd',
      source: 'http:0123',
      position: 1,
      format: 'evenshare',
      raw,
    };
    const submission = { decisions: [], pools: [], coverage: [], letters: [letter] };
    await withDeadLetterTopic(writer, producer).submit(submission);
    await producer.close();
    expect(await contents(kafka, 'narrow')).toMatchObject([
      { value: raw.subarray(0, 4_096), headers: { 'evenshare-bytes': '50001', 'evenshare-source': 'http:0123' } },
    ]);
  });

  it('that the brokers do not take now are tried again by whoever submits', async () => {
    const away = new EvenshareError('EVS_KAFKA_UNREACHABLE', 'away', { retryable: true });
    const producer: EventProducer = {
      pendingBytes: 0,
      close: async () => undefined,
      produce: () => Promise.reject(away),
    };
    const letter = {
      receivedAtMs: 1,
      code: 'not_json',
      detail: 'd',
      source: 's',
      position: 1,
      format: 'f',
      raw: HOSTILE,
    } as const;
    const submission = { decisions: [], pools: [], coverage: [], letters: [letter] };
    await expect(withDeadLetterTopic(writer, producer).submit(submission)).rejects.toBe(away);
    const none = { ...submission, letters: [] };
    await expect(withDeadLetterTopic(writer, producer).submit(none)).resolves.toMatchObject({ accepted: 0 });
  });

  it('of a file or a request name no partition', () => {
    const letter = {
      receivedAtMs: 1,
      code: 'not_json',
      detail: 'd',
      source: 'log/kafka:a/b',
      position: 1,
      format: 'f',
      raw: HOSTILE,
    } as const;
    const { headers } = deadLetterMessage(letter, 100);
    expect(Object.keys(headers ?? {}).filter((name) => /topic|partition|offset/.test(name))).toEqual([]);
  });
});
