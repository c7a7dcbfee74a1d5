import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { BufferedEmitter } from './buffered-emitter.ts';
import type { Emitter } from './emitter.ts';
import { type EmitterLimits, type EmitterOptions, type EmitterParts, eventsUrl, limitsOf } from './emitter-options.ts';
import { httpTransport } from './http-transport.ts';
import { kafkaTransport } from './kafka-transport.ts';
import { systemParts } from './system-parts.ts';
import type { Transport } from './transport.ts';

/**
 * A client for gateways: events are buffered, sent in batches, and sent again until they are durable on the other side.
 * Sending an event twice is harmless, since each request counts once. Nothing that goes wrong later reaches the caller.
 *
 * @throws EVS_USAGE when an option is wrong: at once, never later.
 */
export function createEmitter(options: EmitterOptions): Emitter {
  const parts = options.parts ?? systemParts();
  const limits = limitsOf(options);
  return new BufferedEmitter({
    limits,
    parts,
    onTrouble: options.onTrouble,
    transport: transportOf(options, limits, parts),
  });
}

function transportOf(options: EmitterOptions, limits: EmitterLimits, parts: EmitterParts): Transport {
  if ((options.url === undefined) === (options.kafka === undefined)) {
    throw new EvenshareError('EVS_USAGE', 'createEmitter: name either url or kafka');
  }
  if (options.url !== undefined) {
    const { attemptTimeoutMs } = limits;
    return httpTransport({ url: eventsUrl(options.url), token: options.token ?? null, attemptTimeoutMs, parts });
  }
  const { topic, ...connection } = options.kafka;
  if (!Array.isArray(connection.brokers) || connection.brokers.length === 0) {
    throw new EvenshareError('EVS_USAGE', 'createEmitter: kafka.brokers names at least one host:port');
  }
  return kafkaTransport({ connection, topic: topic ?? null, parts });
}
