import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import type { BatchWriter } from '../../../ingest/index.ts';
import { startKafkaSource } from '../../../ingest/sources/kafka-source.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { startKafka } from '../../support/kafka.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import {
  alteredWriter,
  caughtUp,
  collectingLog,
  committedOffsets,
  endOffsets,
  eventMessages,
  eventually,
  lettersOf,
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

const away = () => new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });

describe('from Kafka to the store', () => {
  it('brings every event in, and what is none to the dead letters with its bytes and offset', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('mixed', 2);
    const events = eventMessages('mixed', 60);
    const broken = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a]);
    const future = JSON.stringify({ request_id: 'f', tenant: 't', arrived_at: systemClock.nowMs() + 3_600_000 });
    await send(kafka, 'mixed', [
      ...events.slice(0, 50).map((message) => ({ ...message, partition: 0 })),
      { partition: 0, value: broken },
      { partition: 0, value: null },
      { partition: 0, value: '  ' },
      { partition: 0, value: '{"tenant":' },
      { partition: 0, value: future },
      ...events.map((message) => ({ ...message, partition: 1 })),
    ]);
    await withSources([sourceOptions(kafka.bootstrap, 'mixed', writer)], async (source) => {
      expect(await caughtUp(kafka, 'mixed', [source])).toBe(115);
      expect(source.progress().partitions.map(({ lagMessages }) => lagMessages)).toEqual([0, 0]);
    });
    // Fifty came in both partitions.
    expect(await stored(temporary.store, 'mixed')).toEqual({ requests: 60, deliveries: 110 });
    const source = 'kafka:mixed/0';
    expect(await lettersOf(temporary.store, 'mixed')).toEqual([
      { source, position: 50, code: 'not_utf8', raw: broken },
      { source, position: 51, code: 'empty_value', raw: Buffer.alloc(0) },
      { source, position: 52, code: 'empty_value', raw: Buffer.from('  ') },
      { source, position: 53, code: 'not_json', raw: Buffer.from('{"tenant":') },
      { source, position: 54, code: 'in_future', raw: Buffer.from(future) },
    ]);
  });

  it('goes on after a restart from what was committed', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('again', 3);
    const events = eventMessages('again', 400);
    const options = sourceOptions(kafka.bootstrap, 'again', writer);
    await send(kafka, 'again', events.slice(0, 300));
    await withSources([options], (source) => caughtUp(kafka, 'again', [source]));
    await send(kafka, 'again', events.slice(300));
    const deliveries = await withSources([options], (source) => caughtUp(kafka, 'again', [source]));
    expect(await stored(temporary.store, 'again')).toEqual({ requests: 400, deliveries });
  });

  it('stores and commits on the way out what it held, before its time had come', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('held', 2);
    await send(kafka, 'held', eventMessages('held', 200));
    const options = sourceOptions(kafka.bootstrap, 'held', writer, { limits: { maxDelayMs: 3_600_000 } });
    const ends = await endOffsets(kafka, 'held');
    const deliveries = ends.reduce((sum, end) => sum + end, 0);
    await withSources([options], (source) => eventually(() => expect(source.progress().heldMessages).toBe(deliveries)));
    expect(await stored(temporary.store, 'held')).toEqual({ requests: 200, deliveries });
    expect(await committedOffsets(kafka, 'held')).toEqual(ends);
  });

  it('delivers again, and counts once, what was stored when the process ended before the commit', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('cut', 1);
    await send(kafka, 'cut', eventMessages('cut', 500));
    const dying = alteredWriter(writer, async (submission, real) => {
      await real.submit(submission);
      throw new Error('the process ends here');
    });
    const limits = { maxBatchMessages: 200 };
    const source = await startKafkaSource(sourceOptions(kafka.bootstrap, 'cut', dying, { limits }));
    await expect(source.done).rejects.toThrow('the process ends here');
    expect(await committedOffsets(kafka, 'cut')).toEqual([0]);
    expect((await stored(temporary.store, 'cut')).requests).toBeGreaterThanOrEqual(200);
    await withSources([sourceOptions(kafka.bootstrap, 'cut', writer)], async (next) => {
      const messages = await caughtUp(kafka, 'cut', [next]);
      const { requests, deliveries } = await stored(temporary.store, 'cut');
      expect(requests).toBe(500);
      expect(deliveries).toBeGreaterThan(messages);
    });
  });

  it('waits for a store that is away, commits nothing meanwhile, loses nothing, and says so once', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('outage', 1);
    await send(kafka, 'outage', eventMessages('outage', 1_000));
    const { log, lines } = collectingLog();
    const committedDuring: number[][] = [];
    let failures = 0;
    const failing = alteredWriter(writer, async (submission, real) => {
      if (failures++ >= 3) return real.submit(submission);
      committedDuring.push(await committedOffsets(kafka, 'outage'));
      throw away();
    });
    const options = sourceOptions(kafka.bootstrap, 'outage', failing, { log, limits: { maxBatchMessages: 400 } });
    const deliveries = await withSources([options], (source) => caughtUp(kafka, 'outage', [source]));
    // The start of a new group is committed at once, no message is.
    expect(committedDuring.flat().filter((offset) => offset > 0)).toEqual([]);
    expect(await stored(temporary.store, 'outage')).toEqual({ requests: 1_000, deliveries });
    expect(lines.filter((line) => line.includes('storing'))).toEqual([
      'storing the messages of Kafka fails and is tried again: the store is away',
      'storing the messages of Kafka works again',
    ]);
  });

  it('holds no more than its bounds while the store is away', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('bounded', 4);
    await send(kafka, 'bounded', eventMessages('bounded', 1_000));
    let isAway = true;
    const failing = alteredWriter(writer, (submission, real) =>
      isAway ? Promise.reject(away()) : real.submit(submission),
    );
    const limits = { maxBatchMessages: 250, maxHeldMessages: 500 };
    const options = sourceOptions(kafka.bootstrap, 'bounded', failing, { limits });
    await withSources([options], async (source) => {
      await eventually(() => expect(source.progress().heldMessages).toBeGreaterThanOrEqual(500));
      await send(kafka, 'bounded', eventMessages('bounded-more', 2_000));
      const ends = await endOffsets(kafka, 'bounded');
      // What is behind is seen all the same.
      await eventually(() => expect(source.progress().partitions.map(({ lagMessages }) => lagMessages)).toEqual(ends));
      // What one fetch had brought already comes on top.
      expect(source.progress().heldMessages).toBeLessThanOrEqual(2_000);
      isAway = false;
      await caughtUp(kafka, 'bounded', [source]);
    });
    expect((await stored(temporary.store, 'bounded')).requests).toBe(1_000);
    expect((await stored(temporary.store, 'bounded-more')).requests).toBe(2_000);
  });

  it('stops loudly, with nothing committed, when the store refuses for good', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('refused', 1);
    await send(kafka, 'refused', eventMessages('refused', 10));
    const refusing = alteredWriter(writer, () =>
      Promise.reject(new EvenshareError('EVS_STORE_SCHEMA', 'the tables are missing')),
    );
    const source = await startKafkaSource(sourceOptions(kafka.bootstrap, 'refused', refusing));
    await expect(source.done).rejects.toMatchObject({ code: 'EVS_STORE_SCHEMA' });
    expect(await committedOffsets(kafka, 'refused')).toEqual([0]);
  });

  it('loses and doubles nothing when a second process joins the group and the first leaves it', async (context) => {
    const kafka = await startKafka(context);
    await kafka.createTopic('shared', 4);
    const events = eventMessages('shared', 6_000);
    const options = sourceOptions(kafka.bootstrap, 'shared', writer, { limits: { maxBatchMessages: 150 } });
    const feeding = (async () => {
      for (let from = 0; from < events.length; from += 500) await send(kafka, 'shared', events.slice(from, from + 500));
    })();
    const first = await startKafkaSource(options);
    await eventually(() => expect(first.progress().partitions.length).toBe(4));
    const second = await startKafkaSource(options);
    await eventually(() => {
      expect(first.progress().partitions.length).toBe(2);
      expect(second.progress().partitions.length).toBe(2);
    });
    await first.stop();
    await feeding;
    await caughtUp(kafka, 'shared', [second]);
    await second.stop();
    expect((await stored(temporary.store, 'shared')).requests).toBe(6_000);
    expect(await committedOffsets(kafka, 'shared')).toEqual(await endOffsets(kafka, 'shared'));
  });
});
