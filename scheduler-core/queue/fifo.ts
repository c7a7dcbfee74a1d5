import type { Request } from '../model.ts';
import { RingBuffer } from './ring-buffer.ts';
import { ACCEPTED, type OfferResult, QUEUE_FULL, type QueueDiscipline, requireLimit } from './scheduler.ts';

export interface FifoOptions {
  /** How many requests may wait, of all tenants together: an integer ≥ 1, or Infinity. */
  readonly totalLimit: number;
}

/**
 * First in, first out: one queue for all, whoever asks. O(1) per call. Throws `EVS_POLICY` for a limit that is none.
 * The control of every fairness test: whoever floods it owns it.
 */
export class FifoQueue<R extends Request> implements QueueDiscipline<R> {
  readonly #totalLimit: number;
  readonly #waiting = new RingBuffer<R>();

  constructor(options: FifoOptions) {
    requireLimit('totalLimit', options.totalLimit);
    this.#totalLimit = options.totalLimit;
  }

  get size(): number {
    return this.#waiting.length;
  }

  offer(request: R): OfferResult {
    if (this.#waiting.length >= this.#totalLimit) return QUEUE_FULL;
    this.#waiting.push(request);
    return ACCEPTED;
  }

  take(): R | null {
    return this.#waiting.shift() ?? null;
  }
}
