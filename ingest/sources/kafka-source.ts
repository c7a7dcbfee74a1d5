import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { Adapter, AdapterOptions } from '../adapters/index.ts';
import type { BatchWriter } from '../batch/batch-writer.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { backoffMs } from './backoff.ts';
import { DEFAULT_MESSAGE_LIMITS, type IntakeLimits } from './intake-limits.ts';
import type { KafkaMessagesOptions } from './kafka-messages.ts';
import { ageMs, lagMessages } from './kafka-positions.ts';
import { createMessageReader } from './kafka-record.ts';
import { MessageIntake } from './message-intake.ts';
import type { MessageSource, SourceClock } from './message-source.ts';
import { checkKafkaTopic, openKafkaMessages } from './open-kafka-messages.ts';
import { TroubleLog } from './trouble-log.ts';

/**
 * Whoever takes over from a process that was killed waits for so long: the brokers do not know sooner that it is gone.
 * Heartbeats go on while the store is at work, so that it need not cover an insert.
 */
export const DEFAULT_SESSION_TIMEOUT_MS = 10 * SECOND_MS;
const DEFAULT_SHUTDOWN_LIMIT_MS = 10 * SECOND_MS;
/** Between two attempts to join, each of which lasts a few seconds while no broker answers. */
const MAX_REOPEN_WAIT_MS = 2 * SECOND_MS;
const CLOSE_LIMIT_MS = 5 * SECOND_MS;
/** How often the ends of the partitions are asked for, so that lag grows also while nothing is read. */
const ENDS_EVERY_MS = 2 * SECOND_MS;

export interface KafkaSourceOptions extends KafkaMessagesOptions {
  /** Reads the value of each message; one whose records are lines. */
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
  readonly writer: BatchWriter;
  readonly metrics: IngestMetrics | null;
  readonly clock: SourceClock;
  /** Arrivals further in the future are refused, ms. */
  readonly maxFutureMs: number;
  /** Arrivals that lay further in the past when their message was written are refused, ms. */
  readonly latenessMs: number;
  /** Where it departs from `DEFAULT_MESSAGE_LIMITS`. */
  readonly limits?: Partial<IntakeLimits>;
  /** How long `stop` may take to store and commit what is held. Default 10 s. */
  readonly shutdownLimitMs?: number;
}

export interface PartitionProgress {
  readonly partition: number;
  /** Everything before it is stored. */
  readonly storedOffset: number;
  /** What the group goes on from; null while it has committed nothing. */
  readonly committedOffset: number | null;
  /** Messages that are not stored yet; null while the partition's end is not known. */
  readonly lagMessages: number | null;
  /**
   * How old the newest stored message is while others wait, ms; 0 while none does, null while nobody can tell. It grows while
   * nothing is stored, whatever the rate of messages.
   */
  readonly lagMs: number | null;
}

export interface KafkaProgress {
  /**
   * When the loop last got on, epoch ms: brokers answered and nothing waited for the store, or something was stored. It
   * stands still while brokers or the store do not answer.
   */
  readonly lastAdvanceMs: number;
  /** Messages in memory that are not stored yet. */
  readonly heldMessages: number;
  /** Those of this process, in order; none while the group divides them or no broker answers. */
  readonly partitions: readonly PartitionProgress[];
}

export interface KafkaSource {
  /**
   * Resolves after `stop`. Rejects when the source has given up, so that the process should end with a failure: the store
   * or the brokers refuse in a way that trying again does not mend. Brokers and stores that are away are waited for.
   */
  readonly done: Promise<void>;
  progress(): KafkaProgress;
  /** Stops reading, stores and commits what is held, leaves the group; within the limit. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Reads decision events from a topic into the store: each request once, whatever is delivered again. The topic's
 * offsets are committed behind the data.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH at the start, EVS_USAGE for the format.
 */
export async function startKafkaSource(options: KafkaSourceOptions): Promise<KafkaSource> {
  const { topic, adapter, adapterOptions, maxFutureMs, latenessMs, writer, metrics, clock, log } = options;
  const limits = { ...DEFAULT_MESSAGE_LIMITS, ...options.limits };
  const sourceTrouble = new TroubleLog(log, `reading topic ${JSON.stringify(topic)} from Kafka`);
  const read = createMessageReader({ topic, adapter, adapterOptions, limits: { maxFutureMs, latenessMs } });
  const intake = new MessageIntake({ topic, read, writer, metrics, clock, log, sourceTrouble, limits });
  await checkKafkaTopic(options.connection, { topic, right: 'Read' }, log);
  const running = new RunningSource(options, limits, intake, sourceTrouble);
  // From here on brokers have answered: what they cannot do yet, as those that have just started, is waited for.
  return running.start(await running.open());
}

class RunningSource implements KafkaSource {
  done: Promise<void> = Promise.resolve();
  readonly #options: KafkaSourceOptions;
  readonly #limits: IntakeLimits;
  readonly #intake: MessageIntake;
  readonly #trouble: TroubleLog;
  readonly #stopAsked = new AbortController();
  readonly #ended = new AbortController();
  #source: MessageSource | null = null;
  #asking: Promise<void> | null = null;
  /** One that is there again is another topic: all of it is new. */
  #wasTopicAway = false;

  constructor(options: KafkaSourceOptions, limits: IntakeLimits, intake: MessageIntake, trouble: TroubleLog) {
    this.#options = options;
    this.#limits = limits;
    this.#intake = intake;
    this.#trouble = trouble;
  }

  /** Null when that can be tried again. Throws when it cannot. */
  async open(): Promise<MessageSource | null> {
    try {
      const fromBeginning = this.#options.fromBeginning || this.#wasTopicAway;
      const source = await openKafkaMessages({ ...this.#options, fromBeginning }, this.#intake);
      this.#trouble.worked();
      return source;
    } catch (error) {
      if (!(error instanceof EvenshareError)) throw error;
      if (!error.retryable && error.code !== 'EVS_KAFKA_TOPIC') throw error;
      this.#trouble.failed(error);
      return null;
    }
  }

  start(first: MessageSource | null): this {
    this.done = this.#run(first).finally(() => {
      this.#intake.end();
      this.#ended.abort();
    });
    // Whoever awaits it learns of it.
    this.done.catch(() => undefined);
    this.#keepTime().catch((error: unknown) => this.#options.log.error({}, `the flush timer failed: ${String(error)}`));
    return this;
  }

  progress(): KafkaProgress {
    return {
      lastAdvanceMs: this.#intake.lastAdvanceMs,
      heldMessages: this.#intake.heldMessages,
      partitions: this.#intake
        .partitions()
        .map(({ partition, storedOffset, committedOffset, endOffset, storedWrittenAtMs }) => {
          const lag = lagMessages(storedOffset, endOffset);
          const lagMs = ageMs(lag, storedWrittenAtMs, this.#options.clock.nowMs());
          return { partition, storedOffset, committedOffset, lagMessages: lag, lagMs };
        }),
    };
  }

  async stop(): Promise<void> {
    this.#stopAsked.abort();
    await this.done.catch(() => undefined);
  }

  /** Lives through one membership after another until it is told to stop or trying again is of no use. */
  async #run(first: MessageSource | null): Promise<void> {
    let source = first;
    let wasTopicAtFault = false;
    for (let attempt = 0; ; attempt++) {
      if (source !== null) {
        const openedAtMs = this.#options.clock.nowMs();
        const failure = await this.#live(source);
        if (failure === null) return;
        const isTopicAtFault = failure.code === 'EVS_KAFKA_TOPIC';
        // Deleted, it may come again. Once it is there and still at fault, it stays so.
        if (!failure.retryable && (!isTopicAtFault || wasTopicAtFault)) throw failure;
        wasTopicAtFault = isTopicAtFault;
        this.#wasTopicAway ||= isTopicAtFault;
        this.#trouble.failed(failure);
        if (this.#intake.lastAdvanceMs > openedAtMs) attempt = 0;
      }
      await this.#options.clock.sleep(backoffMs(attempt, MAX_REOPEN_WAIT_MS), this.#stopAsked.signal);
      if (this.#stopAsked.signal.aborted) return;
      source = await this.open();
      if (source === null) wasTopicAtFault = false;
    }
  }

  /** Until the membership ends: null when that was asked for, else what ended it. Throws what the store refuses for good. */
  async #live(source: MessageSource): Promise<EvenshareError | null> {
    this.#source = source;
    try {
      await Promise.race([aborted(this.#stopAsked.signal), source.failed, this.#intake.failed]);
      await this.#within(this.#options.shutdownLimitMs ?? DEFAULT_SHUTDOWN_LIMIT_MS, async () => {
        this.#intake.holdAll();
        await this.#intake.drain();
      });
      return null;
    } catch (error) {
      if (error instanceof EvenshareError && error.code.startsWith('EVS_KAFKA_')) return error;
      throw error;
    } finally {
      this.#source = null;
      this.#intake.revoke();
      await this.#within(CLOSE_LIMIT_MS, () => source.close());
    }
  }

  /** What does not finish in time is left behind: it is not committed, so it comes again. */
  async #within(limitMs: number, work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const limit = this.#options.clock.sleep(limitMs, done.signal).then(() => {
      if (!done.signal.aborted)
        this.#options.log.warn({}, 'leaving Kafka took too long: what was not stored comes again');
    });
    try {
      await Promise.race([work(), limit]);
    } finally {
      done.abort();
    }
  }

  async #keepTime(): Promise<void> {
    const { clock } = this.#options;
    // Counted, not read off the clock, which somebody may set back by hours.
    let sinceEndsMs = 0;
    while (!this.#ended.signal.aborted) {
      await clock.sleep(this.#limits.maxDelayMs, this.#ended.signal);
      this.#intake.tick();
      sinceEndsMs += this.#limits.maxDelayMs;
      if (sinceEndsMs < ENDS_EVERY_MS) continue;
      sinceEndsMs = 0;
      // Not waited for: a broker that hangs must not keep what is held from being stored.
      this.#asking ??= this.#askForEnds().finally(() => {
        this.#asking = null;
      });
    }
  }

  /** A broker that does not answer is noticed by those who read. */
  async #askForEnds(): Promise<void> {
    try {
      const ends = await this.#source?.endOffsets();
      for (const [partition, endOffset] of ends ?? []) this.#intake.sawEnd(partition, endOffset);
    } catch (error) {
      this.#options.log.debug(
        { code: error instanceof EvenshareError ? error.code : undefined },
        'no ends of partitions',
      );
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
