import type { Logger } from 'pino';
import { type BatchWriter, createEventProducer, withDeadLetterTopic } from '../../ingest/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { KafkaConfig } from '../kafka-config.ts';

/** A writer that must be closed after everything that writes. */
export interface ClosableWriter {
  readonly writer: BatchWriter;
  close(): Promise<void>;
}

/**
 * With Kafka, dead letters go to their topic as well as to their table. A topic that the configuration names must be
 * there; the default one is used where it is, and where it is not, one line says so: their table has them all the same.
 *
 * @throws EVS_KAFKA_…
 */
export async function openDeadLetterWriter(
  context: CliContext,
  kafka: KafkaConfig | null,
  parts: { readonly log: Logger; readonly writer: BatchWriter },
): Promise<ClosableWriter> {
  const { writer, log } = parts;
  const alone: ClosableWriter = { writer, close: async () => undefined };
  if (kafka === null || kafka.deadLettersTopic === null) return alone;
  const topic = kafka.deadLettersTopic;
  try {
    const { connection } = kafka;
    const setting = 'kafka.dead_letters_topic';
    const producer = await createEventProducer({ connection, topic, setting, clock: context.clock, log });
    return { writer: withDeadLetterTopic(writer, producer), close: () => producer.close() };
  } catch (error) {
    if (kafka.hasDeadLettersTopic || !(error instanceof EvenshareError) || error.retryable) throw error;
    log.warn({ code: error.code }, `dead letters go to their table alone: ${error.message}`);
    return alone;
  }
}
