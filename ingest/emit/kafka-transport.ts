import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { KafkaConnection } from '../sources/kafka-client.ts';
import type { EventProducer } from '../sources/kafka-producer.ts';
import type { EmitterParts } from './emitter-options.ts';
import type { Delivery, Transport } from './transport.ts';

export interface KafkaTransportOptions {
  readonly connection: KafkaConnection;
  /** null: the default one. */
  readonly topic: string | null;
  readonly parts: Pick<EmitterParts, 'nowMs' | 'sleep'>;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Produces lines to the topic that Evenshare reads. The client is loaded and connected for the first of them. */
export function kafkaTransport({ connection, topic, parts }: KafkaTransportOptions): Transport {
  let opened: Promise<EventProducer> | null = null;
  const open = async (): Promise<EventProducer> => {
    const { createEventProducer } = await import('../sources/kafka-producer.ts');
    const { DEFAULT_KAFKA_TOPIC } = await import('../sources/kafka-client.ts');
    return createEventProducer({ connection, topic: topic ?? DEFAULT_KAFKA_TOPIC, clock: parts, log: SILENT });
  };
  const producer = async (): Promise<EventProducer | Delivery> => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      // Whatever it is, a topic that is missing among it, somebody may mend it meanwhile.
      opened = null;
      return { kind: 'failed', why: describe(error), retryAfterMs: null };
    }
  };
  return {
    async send(lines) {
      const found = await producer();
      if ('kind' in found) return found;
      try {
        await found.produce(lines.map(({ key, text }) => ({ key, value: text })));
        return { kind: 'delivered', rejected: 0 };
      } catch (error) {
        const isRetryable = error instanceof EvenshareError && error.retryable;
        if (isRetryable) return { kind: 'failed', why: describe(error), retryAfterMs: null };
        // One line that the topic does not take fails all that go with it.
        return { kind: 'too_large', why: describe(error) };
      }
    },
    async close() {
      const found = await opened?.catch(() => null);
      await found?.close();
    },
  };
}

/** Errors of ours hold no address and no secret; others may. */
function describe(error: unknown): string {
  return error instanceof EvenshareError ? error.message : 'the Kafka client could not be used';
}
