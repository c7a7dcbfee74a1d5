import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../cli/clock.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { parseEventText } from '../../../ingest/event/parse-event.ts';
import {
  createBatchWriter,
  createEventProducer,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
  DEFAULT_SESSION_TIMEOUT_MS,
  findAdapter,
  startKafkaSource,
} from '../../../ingest/index.ts';
import { createKafka } from '../../../ingest/sources/kafka-client.ts';
import { openMigrated } from '../ingest/load-tasks.ts';

export interface KafkaInput {
  readonly brokers: string;
  readonly topic: string;
  readonly events: number;
  /** Folder for the store, made and removed here. */
  readonly storePath: string;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const EVENTS_PER_CALL = 5_000;

/** One event of about 250 bytes. */
function lineOf(index: number): string {
  const arrivedAtMs = Date.UTC(2026, 2, 2, 9) + index * 3;
  return JSON.stringify({
    schema: 'evenshare.decision.v1',
    request_id: `req-${(index * 2_654_435_761) % 2 ** 32}-${index}`,
    pool: 'llm-a',
    tenant: `tenant-${index % 5_000}`,
    class: 'interactive',
    arrived_at: arrivedAtMs,
    dispatched_at: arrivedAtMs + (index % 900),
    completed_at: arrivedAtMs + (index % 900) + 40 + (index % 300),
    status: 'ok',
    input_tokens: index % 900,
    output_tokens: index % 300,
  });
}

/** Fills the topic; returns the mean size of an event in bytes. */
export async function fillTopic(input: KafkaInput): Promise<number> {
  const producer = await createEventProducer({
    connection: { brokers: [input.brokers] },
    topic: input.topic,
    clock: systemClock,
    log: SILENT,
  });
  let bytes = 0;
  for (let from = 0; from < input.events; from += EVENTS_PER_CALL) {
    const lines = Array.from({ length: Math.min(EVENTS_PER_CALL, input.events - from) }, (_, offset) => {
      const value = lineOf(from + offset);
      bytes += value.length;
      return { key: `k${from + offset}`, value };
    });
    await producer.produce(lines);
  }
  await producer.close();
  return bytes / input.events;
}

/** From the topic into a new store, as `evenshare ingest` does it; ms until everything is stored and committed. */
export async function ingestTopic(input: KafkaInput): Promise<number> {
  const store = await openMigrated(input.storePath);
  try {
    const writer = createBatchWriter(store, {
      nowMs: Date.now,
      maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
      maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
    });
    const startMs = performance.now();
    const source = await startKafkaSource({
      connection: { brokers: [input.brokers] },
      topic: input.topic,
      groupId: `bench-${Date.now()}`,
      fromBeginning: true,
      sessionTimeoutMs: DEFAULT_SESSION_TIMEOUT_MS,
      yieldTurn: nextTurn,
      adapter: findAdapter('evenshare'),
      adapterOptions: { defaultPool: 'default', tenant: null, options: {}, mapping: null },
      writer,
      metrics: null,
      clock: systemClock,
      log: SILENT,
      maxFutureMs: Number.MAX_SAFE_INTEGER,
      latenessMs: Number.MAX_SAFE_INTEGER,
    });
    const stored = (): number => source.progress().partitions.reduce((sum, one) => sum + one.storedOffset, 0);
    while (stored() < input.events) await systemClock.sleep(20);
    const elapsedMs = performance.now() - startMs;
    await source.stop();
    return elapsedMs;
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

/** kafkajs reading the whole topic and doing nothing with it. */
export async function drainTopic(input: KafkaInput): Promise<number> {
  const consumer = createKafka({ brokers: [input.brokers] }, SILENT).consumer({ groupId: `drain-${Date.now()}` });
  await consumer.connect();
  const startMs = performance.now();
  await consumer.subscribe({ topic: input.topic, fromBeginning: true });
  let read = 0;
  const elapsedMs = await new Promise<number>((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        partitionsConsumedConcurrently: 1,
        eachBatch: async ({ batch }) => {
          read += batch.messages.length;
          if (read >= input.events) resolve(performance.now() - startMs);
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return elapsedMs;
}

/** The store taking the same rows in the same batches, and nothing else. */
export async function insertRows(input: KafkaInput): Promise<number> {
  const store = await openMigrated(input.storePath);
  try {
    const writer = createBatchWriter(store, {
      nowMs: Date.now,
      maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
      maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
    });
    const batches: DecisionEvent[][] = [];
    for (let from = 0; from < input.events; from += 15_000) {
      const batch: DecisionEvent[] = [];
      for (let index = from; index < Math.min(input.events, from + 15_000); index++) {
        const outcome = parseEventText(lineOf(index), { defaultPool: 'default', defaultTenant: null });
        if (outcome.kind === 'decision') batch.push(outcome.event);
      }
      batches.push(batch);
    }
    const startMs = performance.now();
    for (const decisions of batches) await writer.submit({ decisions, pools: [], coverage: [], letters: [] });
    return performance.now() - startMs;
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}
