import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchWriter } from '../../../ingest/index.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { startKafka } from '../../support/kafka.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import {
  alteredWriter,
  caughtUp,
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

describe('a topic that changes while it is read', () => {
  it('has its new partitions read from their beginning, without a restart', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('grown', 2);
    const events = eventMessages('grown', 300);
    await send(kafka, 'grown', events.slice(0, 100));
    await withSources([sourceOptions(kafka.bootstrap, 'grown', writer)], async (source) => {
      await caughtUp(kafka, 'grown', [source]);
      await withAdmin(kafka, (admin) => admin.createPartitions({ topicPartitions: [{ topic: 'grown', count: 4 }] }));
      const toNew = events.slice(100).map((message, index) => ({ ...message, partition: 2 + (index % 2) }));
      await eventually(() => send(kafka, 'grown', toNew));
      await eventually(() => expect(source.progress().partitions.length).toBe(4));
      await caughtUp(kafka, 'grown', [source]);
    });
    expect((await stored(temporary.store, 'grown')).requests).toBe(300);
  });

  it.for([
    ['shorter than what was read before', 90],
    ['longer', 4_000],
  ] as const)('is read from its beginning when it was deleted and made again: %s', async ([, count], context) => {
    const kafka = await startKafka(context);
    const topic = `reborn-${count}`;
    await kafka.createTopic(topic, 2);
    await send(kafka, topic, eventMessages(topic, 400));
    await withSources([sourceOptions(kafka.bootstrap, topic, writer)], async (source) => {
      await caughtUp(kafka, topic, [source]);
      await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
      await eventually(() => kafka.createTopic(topic, 2));
      await eventually(() => send(kafka, topic, eventMessages(`${topic}-again`, count)));
      await eventually(async () => expect((await stored(temporary.store, `${topic}-again`)).requests).toBe(count));
    });
    expect((await stored(temporary.store, topic)).requests).toBe(400);
  });

  it('is read from its beginning also when nobody looked while it was away', async (context) => {
    const kafka = await startKafka(context);
    const topic = 'reborn-unseen';
    await kafka.createTopic(topic, 1);
    const events = eventMessages(topic, 460);
    let isAway = false;
    const gated = alteredWriter(writer, (submission, real) =>
      isAway
        ? Promise.reject(new EvenshareError('EVS_STORE_UNREACHABLE', 'away', { retryable: true }))
        : real.submit(submission),
    );
    // While the store is away and it holds all that it may, it fetches nothing.
    const more = { limits: { maxHeldMessages: 50, maxBatchMessages: 20 } };
    await send(kafka, topic, events.slice(0, 400));
    await withSources([sourceOptions(kafka.bootstrap, topic, gated, more)], async (source) => {
      await caughtUp(kafka, topic, [source]);
      isAway = true;
      await send(kafka, topic, events.slice(400));
      await eventually(() => expect(source.progress().heldMessages).toBe(60));
      await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
      await eventually(() => kafka.createTopic(topic, 1));
      await eventually(() => send(kafka, topic, eventMessages(`${topic}-again`, 4_000)));
      isAway = false;
      await eventually(async () => expect((await stored(temporary.store, `${topic}-again`)).requests).toBe(4_000));
      await caughtUp(kafka, topic, [source]);
    });
  });
});
