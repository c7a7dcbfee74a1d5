import { createRequire } from 'node:module';
import { CompressionTypes, Kafka, type LogEntry, logLevel, Partitioners } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { readEveryCodec } from './kafka-codecs.ts';
import { type KafkaSasl, type KafkaTls, saslOptions, tlsOptions } from './kafka-security.ts';
import type { SourceLog } from './message-source.ts';

/** How the brokers are reached. */
export interface KafkaConnection {
  /** `host:port`, at least one; the others are found through it. */
  readonly brokers: readonly string[];
  /** How brokers' logs and quotas name this process. Default `evenshare`. */
  readonly clientId?: string;
  /** TLS, with the system's authorities or with files of one's own. Default none. */
  readonly ssl?: boolean | KafkaTls;
  /** Default none. */
  readonly sasl?: KafkaSasl;
}

export const DEFAULT_KAFKA_TOPIC = 'evenshare.decisions';
export const DEFAULT_KAFKA_GROUP = 'evenshare';
export const DEFAULT_KAFKA_CLIENT_ID = 'evenshare';

/**
 * The client's own retries, a few seconds in all; whoever holds the client goes on from there. All five are named: the
 * client's defaults change when NODE_ENV is `test`.
 */
export const CLIENT_RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 2_000, retries: 4 };
/** Tries once: for what is tried again from outside. */
export const NO_RETRY = { ...CLIENT_RETRY, retries: 0 };

const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * A client of its own for every consumer and producer: those of one client and one group share a map of committed
 * offsets, and each clears it for the others.
 *
 * @throws EVS_CONFIG for files of `ssl` that cannot be used.
 */
export function createKafka(connection: KafkaConnection, log: SourceLog): Kafka {
  const { ssl, sasl } = connection;
  return new Kafka({
    brokers: [...connection.brokers],
    clientId: connection.clientId ?? DEFAULT_KAFKA_CLIENT_ID,
    ...(ssl === undefined || ssl === false ? {} : { ssl: ssl === true ? true : tlsOptions(ssl) }),
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: CLIENT_RETRY,
    logLevel: logLevel.WARN,
    // The client's own words are for whoever debugs it: what matters is said once, by those who use it.
    logCreator:
      () =>
      ({ namespace, log: entry }: LogEntry) =>
        log.debug({ kafkajs: namespace }, String(entry.message)),
  });
}

/** Explicit, or the client prints a warning about its default; the same as Kafka's own clients use. */
export const PARTITIONER = Partitioners.DefaultPartitioner;
export const NO_COMPRESSION = CompressionTypes.None;

/**
 * kafkajs 2.2.4 looks for throttled requests by a timer that it sets again whenever it has run, also when there are none,
 * and then with a delay far below zero: a wake-up every millisecond per connection, for which Node 24 prints a
 * TimeoutNegativeWarning as well (kafkajs#1704, #1751, #1768). While nothing waits there is nothing to look for: a request
 * that cannot be sent at once sets the timer itself.
 */
function quietIdleConnections(): void {
  const load = createRequire(import.meta.url);
  const loaded: unknown = load('kafkajs/src/network/requestQueue/index.js');
  if (typeof loaded !== 'function' || !isRequestQueue(loaded.prototype)) {
    throw new EvenshareError('EVS_INVARIANT', 'kafkajs is not the version that its guard was made for');
  }
  const queue = loaded.prototype;
  const schedule = queue.scheduleCheckPendingRequests;
  queue.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}

/** What is used of an inner class of kafkajs. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

function isRequestQueue(value: unknown): value is RequestQueue {
  return typeof value === 'object' && value !== null && 'scheduleCheckPendingRequests' in value;
}

quietIdleConnections();
readEveryCodec();
