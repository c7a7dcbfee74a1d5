import { systemClock } from '../../cli/clock.ts';
import { createEventProducer, type EventProducer } from '../../ingest/index.ts';
import { EvenshareError, type Random } from '../../scheduler-core/kernel/index.ts';
import { fateOf, idOf, messagesOf } from './event-stream.ts';

export interface FeederOptions {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly random: Random;
  readonly requestsPerS: number;
}

const EVERY_MS = 200;
/** Of the batches that went through, so many are sent once more, some time later. */
const REPEATED_RATIO = 0.15;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface Line {
  readonly key: string;
  readonly value: string;
}

/** A gateway that tells of requests with numbers, until it is told to stop; what is not acknowledged it sends again. */
export class EventFeeder {
  /** Requests of which every message is acknowledged. */
  requests = 0;
  /** Messages that were acknowledged, repeated ones with them. */
  messages = 0;
  /** Calls that failed and were made again. */
  repeats = 0;
  readonly #options: FeederOptions;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { brokers, topic } = this.#options;
    const producer = await createEventProducer({ connection: { brokers }, topic, clock: systemClock, log: SILENT });
    this.#running = this.#run(producer);
    this.#running.catch(() => undefined);
  }

  /** Resolves once all that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(producer: EventProducer): Promise<void> {
    const { requestsPerS, random } = this.#options;
    const perTurn = Math.ceil((requestsPerS * EVERY_MS) / 1_000);
    let earlier: Line[] = [];
    while (!this.#stopped.signal.aborted) {
      const lines = this.#linesFrom(this.requests, perTurn);
      await this.#send(producer, lines);
      this.requests += perTurn;
      if (random.next() < REPEATED_RATIO) await this.#send(producer, earlier);
      if (random.next() < REPEATED_RATIO) earlier = lines;
      await systemClock.sleep(EVERY_MS, this.#stopped.signal);
    }
    await producer.close();
  }

  #linesFrom(from: number, count: number): Line[] {
    const arrivedAtMs = systemClock.nowMs() - 1_000;
    return Array.from({ length: count }, (_, index) => from + index).flatMap((index) =>
      messagesOf(index, arrivedAtMs).map((value) => ({ key: idOf(index), value })),
    );
  }

  async #send(producer: EventProducer, lines: readonly Line[]): Promise<void> {
    for (;;) {
      try {
        await producer.produce(lines);
        this.messages += lines.length;
        return;
      } catch (error) {
        if (!(error instanceof EvenshareError && error.retryable)) throw error;
        this.repeats++;
        await systemClock.sleep(EVERY_MS);
      }
    }
  }
}

/** How many of the first `requests` meet each fate. */
export function expectedOf(requests: number): { readonly stored: number; readonly letters: number } {
  let stored = 0;
  for (let index = 0; index < requests; index++) if (fateOf(index) === 'stored') stored++;
  return { stored, letters: requests - stored };
}
