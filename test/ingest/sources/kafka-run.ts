import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';
import { expect, vi } from 'vitest';
import { defineQuery, type Store } from '../../../analytics/storage/index.ts';
import { systemClock } from '../../../cli/clock.ts';
import {
  type BatchWriter,
  createBatchWriter,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
  findAdapter,
} from '../../../ingest/index.ts';
import { type KafkaSource, type KafkaSourceOptions, startKafkaSource } from '../../../ingest/sources/kafka-source.ts';
import type { SourceClock, SourceLog } from '../../../ingest/sources/message-source.ts';
import { DAY_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import type { TestKafka } from '../../support/kafka.ts';

/** What a source said, a line each, without what it says to whoever debugs it. */
export function collectingLog(): { readonly log: SourceLog; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (_fields: object, message: string): void => {
    lines.push(message);
  };
  return { log: { debug: () => undefined, info: keep, warn: keep, error: keep }, lines };
}

/** Waits between attempts are short; limits are as they are. */
const impatientClock: SourceClock = {
  nowMs: systemClock.nowMs,
  sleep: (durationMs, signal) => systemClock.sleep(durationMs < 5_000 ? Math.min(durationMs, 50) : durationMs, signal),
};

export function writerOf(store: Store): BatchWriter {
  return createBatchWriter(store, {
    nowMs: systemClock.nowMs,
    maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
    maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
  });
}

/** A writer that does as `submit` says, with the real one at hand. */
export function alteredWriter(
  writer: BatchWriter,
  submit: (submission: Parameters<BatchWriter['submit']>[0], writer: BatchWriter) => ReturnType<BatchWriter['submit']>,
): BatchWriter {
  return {
    submit: (submission) => submit(submission, writer),
    get pendingEvents() {
      return writer.pendingEvents;
    },
    drain: () => writer.drain(),
  };
}

export function sourceOptions(
  bootstrap: string,
  topic: string,
  writer: BatchWriter,
  more: Partial<KafkaSourceOptions> = {},
): KafkaSourceOptions {
  return {
    connection: { brokers: [bootstrap] },
    topic,
    groupId: `group-of-${topic}`,
    fromBeginning: true,
    sessionTimeoutMs: 10_000,
    yieldTurn: () => nextTurn(),
    log: collectingLog().log,
    adapter: findAdapter('evenshare'),
    adapterOptions: { defaultPool: 'default', tenant: null, options: {}, mapping: null },
    writer,
    metrics: null,
    clock: impatientClock,
    maxFutureMs: 5 * MINUTE_MS,
    latenessMs: 2 * DAY_MS,
    ...more,
    limits: { maxDelayMs: 50, ...more.limits },
  };
}

/** Runs sources for the length of `work`, whatever becomes of it. */
export async function withSources<Result>(
  all: readonly KafkaSourceOptions[],
  work: (...sources: KafkaSource[]) => Promise<Result>,
): Promise<Result> {
  const sources = await Promise.all(all.map(startKafkaSource));
  try {
    return await work(...sources);
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
}

/** Puts values into a topic in order, to a partition each or by key. */
export async function send(
  kafka: Pick<TestKafka, 'bootstrap'>,
  topic: string,
  messages: readonly {
    readonly key?: string;
    readonly partition?: number;
    readonly timestamp?: string;
    readonly value: Buffer | string | null;
  }[],
): Promise<void> {
  const client = new Kafka({ brokers: [kafka.bootstrap], clientId: 'gateway', logLevel: logLevel.NOTHING });
  const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    await producer.send({ topic, acks: -1, messages: messages.map((message) => ({ ...message })) });
  } finally {
    await producer.disconnect();
  }
}

export async function withAdmin<Result>(
  kafka: Pick<TestKafka, 'bootstrap'>,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const client = new Kafka({ brokers: [kafka.bootstrap], clientId: 'admin', logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** By partition. */
export async function committedOffsets(kafka: Pick<TestKafka, 'bootstrap'>, topic: string): Promise<number[]> {
  const [ofTopic] = await withAdmin(kafka, (admin) =>
    admin.fetchOffsets({ groupId: `group-of-${topic}`, topics: [topic] }),
  );
  return inOrder(ofTopic?.partitions ?? []);
}

/** How many messages each partition has taken: a producer that repeats a send puts in more than it was given. */
export async function endOffsets(kafka: Pick<TestKafka, 'bootstrap'>, topic: string): Promise<number[]> {
  return inOrder(await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic)));
}

function inOrder(partitions: readonly { readonly partition: number; readonly offset: string }[]): number[] {
  return partitions.toSorted((a, b) => a.partition - b.partition).map(({ offset }) => Number(offset));
}

/** Events of now as a gateway writes them, keyed by their id. */
export function eventMessages(prefix: string, count: number): { key: string; value: string }[] {
  const arrivedAtMs = systemClock.nowMs() - 1_000;
  return Array.from({ length: count }, (_, index) => {
    const request_id = `${prefix}-${index}`;
    const event = { request_id, pool: prefix, tenant: `t${index % 7}`, arrived_at: arrivedAtMs, status: 'ok' };
    return { key: request_id, value: JSON.stringify({ ...event, dispatched_at: arrivedAtMs + 5 }) };
  });
}

const STORED = defineQuery<{ readonly pool: string }, { readonly requests: number; readonly deliveries: number }>({
  name: 'stored-of-pool',
  sql: `SELECT count() AS requests, sum(deliveries) AS deliveries FROM requests FINAL WHERE pool = {pool:String}`,
  decode: (row) => ({ requests: Number(row.requests), deliveries: Number(row.deliveries) }),
});

/** Requests of a pool, each once, and how often they were delivered. */
export async function stored(store: Store, pool: string): Promise<{ requests: number; deliveries: number }> {
  const [row] = await store.query('reads', STORED, { pool });
  return row ?? { requests: 0, deliveries: 0 };
}

export interface StoredLetter {
  readonly source: string;
  readonly position: number;
  readonly code: string;
  readonly raw: Buffer;
}

const LETTERS = defineQuery<{ readonly source: string }, StoredLetter>({
  name: 'letters-of-source',
  sql: `SELECT source, position, code, raw_base64 FROM dead_letters FINAL
WHERE startsWith(source, {source:String}) ORDER BY source, position`,
  decode: (row) => ({
    source: String(row.source),
    position: Number(row.position),
    code: String(row.code),
    raw: Buffer.from(String(row.raw_base64), 'base64'),
  }),
});

export function lettersOf(store: Store, topic: string): Promise<StoredLetter[]> {
  return store.query('reads', LETTERS, { source: `kafka:${topic}/` });
}

/** Waits for what the broker, the client and the store do in their own time. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 });
}

/** Waits until every message of the topic is stored and committed; how many there are. */
export async function caughtUp(
  kafka: Pick<TestKafka, 'bootstrap'>,
  topic: string,
  sources: readonly KafkaSource[],
): Promise<number> {
  const ends = await endOffsets(kafka, topic);
  await eventually(() => {
    const all = sources.flatMap((source) => source.progress().partitions);
    const committed = new Map(all.map(({ partition, committedOffset }) => [partition, committedOffset]));
    expect(ends.map((_, partition) => committed.get(partition))).toEqual(ends);
  });
  return ends.reduce((sum, end) => sum + end, 0);
}
