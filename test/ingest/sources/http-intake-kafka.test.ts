import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import { createEventProducer, kafkaSink } from '../../../ingest/index.ts';
import { createKafka } from '../../../ingest/sources/kafka-client.ts';
import { startKafka } from '../../support/kafka.ts';
import { contentsOf } from '../../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { INTAKE_NOW_MS, intakeServer, lines, recent } from './intake-server.ts';
import { collectingLog, writerOf } from './kafka-run.ts';

// With Kafka configured, posted events go to the topic in their own words; what cannot be read stays here.

const TOPIC = 'posted';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

it('posted events are in the topic when they are answered, spans and dead letters in the store', async (context) => {
  const broker = await startKafka(context);
  await broker.createTopic(TOPIC, 3);
  const connection = { brokers: [broker.bootstrap] };
  const { log } = collectingLog();
  const writer = writerOf(temporary.store);
  const producer = await createEventProducer({
    connection,
    topic: TOPIC,
    clock: systemClock,
    log,
    deliveryLimitMs: 400,
  });
  const intake = await intakeServer(temporary.store, { sink: kafkaSink(producer, writer) });
  try {
    const spaced = `{ "request_id": "spaced",  "tenant":"a", "arrived_at": ${INTAKE_NOW_MS - 5} }`;
    const pool = { schema: 'evenshare.pool.v1', pool: 'p', at: INTAKE_NOW_MS, slots: 8 };
    const answer = await intake.post(`${lines(recent('r1'))}no json\n${spaced}\n${lines(pool)}`);
    expect(answer).toMatchObject({
      status: 202,
      body: { accepted: 2, duplicate: null, duplicate_reason: 'kafka_takes_the_events', rejected: [{ line: 2 }] },
    });
    const array = await intake.post(JSON.stringify([recent('r2'), recent('é')]), {
      'content-type': 'application/json',
    });
    expect(array).toMatchObject({ status: 202, body: { accepted: 2, rejected_total: 0 } });
    const span = {
      spanId: 'ab',
      startTimeUnixNano: `${INTAKE_NOW_MS - 900}000000`,
      endTimeUnixNano: `${INTAKE_NOW_MS}000000`,
      attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
    };
    const traces = await intake.postTraces(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    expect(traces).toMatchObject({ status: 200, body: {} });
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 1, letters: 1 });

    await broker.halt();
    const refused = await intake.post(lines(recent('r3')));
    expect(refused).toMatchObject({ status: 503, body: { code: 'EVS_KAFKA_UNREACHABLE' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await broker.start();
    let again = await intake.post(lines(recent('r3')));
    while (again.status !== 202) again = await intake.post(lines(recent('r3')));

    const expected = ['r1', 'spaced', 'p', 'r2', 'é', 'r3'];
    const read = await readUntil(connection, expected);
    expect(new Set(read.keys())).toEqual(new Set(expected));
    expect(read.get('spaced')).toBe(spaced);
    expect(read.get('r1')).toBe(JSON.stringify(recent('r1')));
    expect(read.get('é')).toBe(JSON.stringify(recent('é')));
  } finally {
    await intake.close();
    await producer.close();
  }
});

/** Texts by key, once all of the keys are there. */
async function readUntil(
  connection: { readonly brokers: string[] },
  keys: readonly string[],
): Promise<Map<string, string>> {
  const { log } = collectingLog();
  const consumer = createKafka(connection, log).consumer({ groupId: 'read-posted' });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
  const read = new Map<string, string>();
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          read.set(String(message.key), String(message.value));
          if (keys.every((key) => read.has(key))) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return read;
}
