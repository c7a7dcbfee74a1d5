import { expect, it } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import { createEmitter } from '../../../ingest/emit/index.ts';
import { createKafka } from '../../../ingest/sources/kafka-client.ts';
import { startKafka } from '../../support/kafka.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

it('events go to the topic under the keys of their requests, also when the topic is made later', async (context) => {
  const broker = await startKafka(context);
  const topic = 'emitted';
  const troubles: string[] = [];
  const emitter = createEmitter({
    kafka: { brokers: [broker.bootstrap], topic },
    maxDelayMs: 10,
    onTrouble: ({ kind }) => troubles.push(kind),
  });
  emitter.emit({ request_id: 'first', tenant: 'a', arrived_at: 1 });
  expect(await emitter.flush(1_500)).toBe(false);
  expect(troubles).toEqual(['failing']);
  await broker.createTopic(topic, 3);
  for (let index = 0; index < 1_000; index++) emitter.emit({ request_id: `r${index}`, tenant: 'a', arrived_at: 2 });
  emitter.emit({ schema: 'evenshare.pool.v1', pool: 'p', at: 3, slots: 8 });
  expect(await emitter.close(60_000)).toBe(true);
  expect(emitter.stats()).toMatchObject({ emitted: 1_002, delivered: 1_002 });
  expect(troubles.at(-1)).toBe('recovered');

  const read = await readAll(broker.bootstrap, topic, 1_002);
  const keyOf = (event: { request_id?: string; pool?: string }) => event.request_id ?? event.pool;
  expect(read.every(({ key, value }) => keyOf(JSON.parse(value)) === key)).toBe(true);
  expect(new Set(read.map(({ key }) => key))).toEqual(
    new Set(['first', 'p', ...Array.from({ length: 1_000 }, (_, index) => `r${index}`)]),
  );
});

async function readAll(brokers: string, topic: string, count: number): Promise<{ key: string; value: string }[]> {
  const consumer = createKafka({ brokers: [brokers] }, SILENT).consumer({ groupId: `read-${systemClock.nowMs()}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const read: { key: string; value: string }[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          read.push({ key: String(message.key), value: String(message.value) });
          if (read.length >= count) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return read;
}
