import type { Producer } from 'kafkajs';
import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { backoffMs } from './backoff.ts';
import { createKafka, type KafkaConnection, NO_COMPRESSION, NO_RETRY, PARTITIONER } from './kafka-client.ts';
import { mapKafkaError } from './kafka-errors.ts';
import type { SourceClock, SourceLog } from './message-source.ts';
import { checkKafkaTopic } from './open-kafka-messages.ts';
import { TroubleLog } from './trouble-log.ts';

export interface EventProducerOptions {
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** Where the configuration names the topic. Default `kafka.topic`. */
  readonly setting?: string;
  readonly clock: SourceClock;
  readonly log: SourceLog;
  /** Bytes that may wait for the brokers before `produce` refuses. Default 32 MiB. */
  readonly maxPendingBytes?: number;
  /** How long a call is tried before it is given up, ms. Default 15 s. */
  readonly deliveryLimitMs?: number;
}

/** One event on its way to the topic. */
export interface EventLine {
  /** The request's id: the events of a request keep their order, and no tenant has a partition to itself. */
  readonly key: string;
  readonly value: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EventProducer {
  /**
   * Resolves once every in-sync replica has all of the lines. When it rejects some may be there: sending the same again
   * is harmless, since each request counts once.
   *
   * @throws EVS_BUSY (retryable) when too much is pending; EVS_KAFKA_UNREACHABLE (retryable) after the limit;
   * EVS_KAFKA_TOPIC (also for a line larger than the topic takes), EVS_KAFKA_AUTH.
   */
  produce(lines: readonly EventLine[]): Promise<void>;
  readonly pendingBytes: number;
  /** Sends what is pending, then disconnects. */
  close(): Promise<void>;
}

const DEFAULT_MAX_PENDING_BYTES = 32 * 1024 * 1024;
const DEFAULT_DELIVERY_LIMIT_MS = 15 * SECOND_MS;
/** All of a request may go to one partition, in one batch, and topics take 1 MiB of that by default. */
const MAX_REQUEST_BYTES = 512 * 1024;
/** About what a record costs beside its key and value. */
const RECORD_OVERHEAD_BYTES = 24;
const HEADER_OVERHEAD_BYTES = 8;
/** Between two attempts to send. */
const MAX_WAIT_MS = 2 * SECOND_MS;
const ACK_TIMEOUT_MS = 10 * SECOND_MS;
const ALL_IN_SYNC = -1;

/**
 * Connects a producer.
 *
 * Not idempotent in Kafka's sense: kafkajs takes its sequence numbers back when a send fails, also when the broker had
 * stored it, and the broker then takes the next send for a repetition of that one and drops it. Twice is harmless here.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH.
 */
export async function createEventProducer(options: EventProducerOptions): Promise<EventProducer> {
  const { connection, topic, setting, log } = options;
  await checkKafkaTopic(connection, { topic, setting, right: 'Write' }, log);
  const producer = createKafka(connection, log).producer({
    createPartitioner: PARTITIONER,
    allowAutoTopicCreation: false,
    idempotent: false,
    // Tried again from outside, whole: within one send kafkajs passes over the messages of a partition whose leader has
    // moved to a broker that has answered already.
    retry: NO_RETRY,
    metadataMaxAge: 30 * SECOND_MS,
  });
  try {
    await producer.connect();
    return new QueuedProducer(options, producer);
  } catch (error) {
    await producer.disconnect().catch(() => undefined);
    throw mapKafkaError(error, topic, setting);
  }
}

/** Lines of one call; counted down as they are sent. */
interface Call {
  readonly askedAtMs: number;
  linesLeft: number;
  isOver: boolean;
  readonly resolve: () => void;
  readonly reject: (error: EvenshareError) => void;
}

interface QueuedLine {
  readonly line: EventLine;
  readonly bytes: number;
  readonly call: Call;
}

/** One request at a time; what comes meanwhile goes together in the next. */
class QueuedProducer implements EventProducer {
  readonly #options: EventProducerOptions;
  readonly #producer: Producer;
  readonly #trouble: TroubleLog;
  #queue: QueuedLine[] = [];
  #pendingBytes = 0;
  #pump: Promise<void> | null = null;
  #isClosed = false;
  /** Of the last request; null when it worked. */
  #failure: EvenshareError | null = null;

  constructor(options: EventProducerOptions, producer: Producer) {
    this.#options = options;
    this.#producer = producer;
    this.#trouble = new TroubleLog(options.log, `producing to topic ${JSON.stringify(options.topic)} of Kafka`);
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  produce(lines: readonly EventLine[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    const sized = lines.map((line) => ({ line, bytes: sizeOf(line) }));
    const bytes = sized.reduce((sum, one) => sum + one.bytes, 0);
    const maxPendingBytes = this.#options.maxPendingBytes ?? DEFAULT_MAX_PENDING_BYTES;
    if (this.#isClosed || (this.#pendingBytes > 0 && this.#pendingBytes + bytes > maxPendingBytes)) {
      return Promise.reject(
        new EvenshareError('EVS_BUSY', 'Kafka is behind: send the same again a little later', { retryable: true }),
      );
    }
    this.#pendingBytes += bytes;
    return new Promise((resolve, reject) => {
      const askedAtMs = this.#options.clock.nowMs();
      const call: Call = { askedAtMs, linesLeft: lines.length, isOver: false, resolve, reject };
      for (const one of sized) this.#queue.push({ ...one, call });
      // Started in a later turn, so that what comes in the same turn goes together.
      this.#pump ??= Promise.resolve().then(() => this.#sendAll());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pump;
    await this.#producer.disconnect().catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    let next = 0;
    while (next < this.#queue.length) {
      const request = takeRequest(this.#queue, next);
      next += request.length;
      const wanted = request.filter(({ call }) => !call.isOver);
      if (wanted.length > 0) settle(wanted, await this.#deliver(wanted));
      for (const { bytes } of request) this.#pendingBytes -= bytes;
      if (next > MAX_SENT_KEPT) {
        this.#queue = this.#queue.slice(next);
        next = 0;
      }
    }
    this.#queue = [];
    this.#pump = null;
  }

  /** Null once it is there, or why it is not. */
  async #deliver(request: readonly QueuedLine[]): Promise<EvenshareError | null> {
    const { topic, setting, clock } = this.#options;
    const limitMs = this.#options.deliveryLimitMs ?? DEFAULT_DELIVERY_LIMIT_MS;
    const untilMs = Math.max(...request.map(({ call }) => call.askedAtMs)) + limitMs;
    const messages = request.map(({ line: { key, value, headers } }) =>
      headers === undefined ? { key, value } : { key, value, headers: { ...headers } },
    );
    // One outage is not waited out once more by everybody in the queue.
    if (this.#failure !== null && clock.nowMs() >= untilMs) return this.#failure;
    for (let attempt = 0; ; attempt++) {
      const waitMs = backoffMs(attempt, MAX_WAIT_MS);
      try {
        const compression = NO_COMPRESSION;
        await this.#producer.send({ topic, messages, acks: ALL_IN_SYNC, timeout: ACK_TIMEOUT_MS, compression });
        this.#trouble.worked();
        this.#failure = null;
        return null;
      } catch (error) {
        const failure = mapKafkaError(error, topic, setting);
        this.#failure = failure;
        this.#trouble.failed(failure);
        if (!failure.retryable || clock.nowMs() + waitMs >= untilMs) return failure;
      }
      await clock.sleep(waitMs);
    }
  }
}

/** Sent lines that may stay at the head of the queue before it is cut. */
const MAX_SENT_KEPT = 10_000;

function takeRequest(queue: readonly QueuedLine[], from: number): QueuedLine[] {
  let bytes = 0;
  let to = from;
  for (; to < queue.length; to++) {
    bytes += queue[to]?.bytes ?? 0;
    if (to > from && bytes > MAX_REQUEST_BYTES) break;
  }
  return queue.slice(from, to);
}

function settle(request: readonly QueuedLine[], failure: EvenshareError | null): void {
  for (const { call } of request) {
    call.linesLeft--;
    if (call.isOver || (failure === null && call.linesLeft > 0)) continue;
    call.isOver = true;
    if (failure === null) call.resolve();
    else call.reject(failure);
  }
}

function sizeOf({ key, value, headers = {} }: EventLine): number {
  const ofHeaders = Object.entries(headers).reduce(
    (sum, [name, text]) => sum + name.length + Buffer.byteLength(text) + HEADER_OVERHEAD_BYTES,
    0,
  );
  return Buffer.byteLength(key) + Buffer.byteLength(value) + ofHeaders + RECORD_OVERHEAD_BYTES;
}
