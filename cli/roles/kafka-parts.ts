import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import {
  type BatchWriter,
  createEventProducer,
  type EventSink,
  findAdapter,
  type IngestMetrics,
  type KafkaSource,
  kafkaSink,
  startKafkaSource,
  storeSink,
} from '../../ingest/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { KafkaConfig } from '../kafka-config.ts';
import type { Config } from '../load-config.ts';

export interface KafkaParts {
  readonly log: Logger;
  readonly writer: BatchWriter;
}

/** A sink that must be closed after the server that feeds it. */
export interface ClosableSink extends EventSink {
  close(): Promise<void>;
}

/** Where posted events go: the topic when Kafka is configured, else the store. */
export async function openEventSink(context: CliContext, config: Config, parts: KafkaParts): Promise<ClosableSink> {
  const { kafka } = config;
  if (kafka === null) return { ...storeSink(parts.writer), close: async () => undefined };
  const producer = await createEventProducer({
    connection: kafka.connection,
    topic: kafka.topic,
    clock: context.clock,
    log: parts.log,
  });
  return { ...kafkaSink(producer, parts.writer), close: () => producer.close() };
}

export interface IngestRole {
  readonly failed: Promise<never>;
  notReady(nowMs: number): string[];
  stop(): Promise<void>;
}

/** Without progress for so long the process is not ready. */
const STALL_MS = 2 * MINUTE_MS;

/** Reads the topic into the store. */
export async function startIngest(
  context: CliContext,
  config: Config,
  kafka: KafkaConfig,
  parts: KafkaParts & { readonly registry: Registry; readonly metrics: IngestMetrics },
): Promise<IngestRole> {
  const adapter = findAdapter(kafka.format);
  const source = await startKafkaSource({
    connection: kafka.connection,
    topic: kafka.topic,
    groupId: kafka.groupId,
    fromBeginning: kafka.fromBeginning,
    startAtMs: kafka.startAtMs,
    sessionTimeoutMs: kafka.sessionTimeoutMs,
    yieldTurn: nextTurn,
    adapter,
    adapterOptions: kafka.adapterOptions,
    writer: parts.writer,
    metrics: parts.metrics,
    clock: context.clock,
    log: parts.log,
    maxFutureMs: config.intake.maxFutureMs,
    latenessMs: config.intake.latenessMs,
  });
  exposeProgress(parts.registry, source, context.clock.nowMs);
  return {
    failed: failureOf(source),
    notReady: (nowMs) => {
      const stalledMs = nowMs - source.progress().lastAdvanceMs;
      return stalledMs < STALL_MS ? [] : [`reading from Kafka has not got on for ${Math.round(stalledMs / 1000)} s`];
    },
    stop: () => source.stop(),
  };
}

/** Rejects when the source gives up; an orderly end says nothing. */
function failureOf(source: KafkaSource): Promise<never> {
  return new Promise((_, reject) => {
    source.done.catch(reject);
  });
}

function exposeProgress(registry: Registry, source: KafkaSource, nowMs: () => number): void {
  new Gauge({
    name: 'evenshare_kafka_lag_messages',
    help: 'Messages of the partitions of this process that are not stored yet.',
    labelNames: ['partition'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { partition, lagMessages } of source.progress().partitions) {
        if (lagMessages !== null) this.set({ partition: String(partition) }, lagMessages);
      }
    },
  });
  new Gauge({
    name: 'evenshare_kafka_lag_seconds',
    help: 'Age of the newest stored message while others wait; 0 while none does.',
    labelNames: ['partition'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { partition, lagMs } of source.progress().partitions) {
        if (lagMs !== null) this.set({ partition: String(partition) }, lagMs / SECOND_MS);
      }
    },
  });
  new Gauge({
    name: 'evenshare_kafka_stored_offset',
    help: 'Per partition of this process: everything before it is stored or a dead letter.',
    labelNames: ['partition'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { partition, storedOffset } of source.progress().partitions) {
        this.set({ partition: String(partition) }, storedOffset);
      }
    },
  });
  new Gauge({
    name: 'evenshare_kafka_stalled_seconds',
    help: 'How long reading from Kafka has not got on: brokers or the store do not answer.',
    registers: [registry],
    collect() {
      this.set((nowMs() - source.progress().lastAdvanceMs) / SECOND_MS);
    },
  });
  new Gauge({
    name: 'evenshare_kafka_held_messages',
    help: 'Messages in memory that are not stored yet.',
    registers: [registry],
    collect() {
      this.set(source.progress().heldMessages);
    },
  });
}
