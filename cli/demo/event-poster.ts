import { decideRetryDelayMs, parseRetryAfterMs } from '../../ingest/index.ts';
import { type Random, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { Clock } from '../clock.ts';

const MAX_IN_FLIGHT = 2;
const MAX_ATTEMPTS = 20;
const ATTEMPT_TIMEOUT_MS = 30 * SECOND_MS;
const DEFAULT_GRACE_MS = SECOND_MS;

/** Where messages for the operator go; a pino logger is one. */
export interface DemoLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface EventPosterOptions {
  /** Of the intake, without the path: `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Sent as a bearer token; null sends none. */
  readonly token: string | null;
  readonly clock: Clock;
  /** For the jitter of retries. */
  readonly random: Random;
  readonly log: DemoLog;
  /** When it aborts nothing is tried twice any more, and after `graceMs` whatever is in flight is dropped. */
  readonly signal: AbortSignal;
  /** Real time. Default 1 s. */
  readonly graceMs?: number;
}

export interface PostCounts {
  /** Lines that the intake took in hand, those that it rejected one by one included. */
  readonly posted: number;
  /** Of these, lines that the intake rejected. */
  readonly rejected: number;
  /** Lines given up: the intake refused the whole request for good or too often, or the demo was stopped. */
  readonly dropped: number;
  /** Attempts that failed and were made again. */
  readonly retries: number;
}

type Attempt =
  | { readonly kind: 'accepted'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterMs: number | null };

/**
 * Posts chunks of NDJSON to `POST /v1/events`, two at a time. Overload (429, 5xx) and connection errors are retried up
 * to 20 times, other refusals are final. Nothing throws: what cannot be delivered is logged and counted.
 */
export class EventPoster {
  readonly #options: EventPosterOptions;
  readonly #url: string;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #posted = 0;
  #rejected = 0;
  #dropped = 0;
  #retries = 0;
  #failing = false;

  constructor(options: EventPosterOptions) {
    this.#options = options;
    this.#url = `${options.baseUrl.replace(/\/+$/, '')}/v1/events`;
    const close = (): void => {
      setTimeout(() => this.#closing.abort(), options.graceMs ?? DEFAULT_GRACE_MS).unref();
    };
    if (options.signal.aborted) close();
    else options.signal.addEventListener('abort', close, { once: true });
  }

  counts(): PostCounts {
    return { posted: this.#posted, rejected: this.#rejected, dropped: this.#dropped, retries: this.#retries };
  }

  /** Waits until fewer than two requests are in flight and sends the lines without waiting for the answer. */
  async post(lines: readonly string[]): Promise<void> {
    while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
    const delivery = this.#deliver(lines.join(''), lines.length);
    this.#inFlight.add(delivery);
    void delivery.then(() => this.#inFlight.delete(delivery));
  }

  /** Waits until nothing is in flight. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }

  async #deliver(body: string, lineCount: number): Promise<void> {
    const { signal, clock, random } = this.#options;
    for (let failedAttempts = 1; ; failedAttempts++) {
      const attempt = await this.#attempt(body);
      if (attempt.kind === 'accepted') {
        this.#count(lineCount, attempt.rejected);
        return;
      }
      if (attempt.kind === 'refused' || failedAttempts >= MAX_ATTEMPTS) {
        this.#warnOnce(`${attempt.why}: ${lineCount} events dropped, and so on until it takes them again`);
        break;
      }
      this.#warnOnce(`${attempt.why}: trying again`);
      const { retryAfterMs } = attempt;
      await clock.sleep(decideRetryDelayMs({ failedAttempts, retryAfterMs, chance: random.next() }), signal);
      if (signal.aborted) break;
      this.#retries++;
    }
    this.#dropped += lineCount;
  }

  async #attempt(body: string): Promise<Attempt> {
    const { token, clock } = this.#options;
    const closing = this.#closing.signal;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    // A real timer: it guards a real connection, whatever clock the simulation goes by.
    const timer = setTimeout(abort, ATTEMPT_TIMEOUT_MS);
    if (closing.aborted) abort();
    closing.addEventListener('abort', abort, { once: true });
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body,
        signal: controller.signal,
      });
      const answer = await response.text();
      if (response.ok) return { kind: 'accepted', rejected: countRejected(answer) };
      const why = `the intake answered ${response.status}`;
      if (response.status !== 429 && response.status < 500) return { kind: 'refused', why };
      return {
        kind: 'failed',
        why,
        retryAfterMs: parseRetryAfterMs(response.headers.get('retry-after'), clock.nowMs()),
      };
    } catch {
      return { kind: 'failed', why: 'the intake could not be reached', retryAfterMs: null };
    } finally {
      clearTimeout(timer);
      closing.removeEventListener('abort', abort);
    }
  }

  #count(lineCount: number, rejected: number): void {
    this.#posted += lineCount;
    this.#rejected += rejected;
    if (rejected > 0) this.#warnOnce(`the intake rejected ${rejected} of ${lineCount} events`);
    else if (this.#failing) {
      this.#failing = false;
      this.#options.log.info('demo: the intake takes events again');
    }
  }

  /** One message per run of failures: at four requests a second a log would be full of them. */
  #warnOnce(message: string): void {
    if (!this.#failing) this.#options.log.warn(`demo: ${message}`);
    this.#failing = true;
  }
}

/** How many lines the body of a 202 lists as rejected; 0 when it is not as documented. */
function countRejected(answer: string): number {
  try {
    const body: unknown = JSON.parse(answer);
    if (typeof body !== 'object' || body === null || !('rejected' in body)) return 0;
    return Array.isArray(body.rejected) ? body.rejected.length : 0;
  } catch {
    return 0;
  }
}
