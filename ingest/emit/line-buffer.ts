/** One event on its way, as it was when it was emitted. */
export interface EmittedLine {
  /** One line of JSON, without its end. */
  readonly text: string;
  readonly bytes: number;
  /** The request's id, for the topic. */
  readonly key: string;
}

/** Lines that are sent together. */
export interface LineBatch {
  /** Of its first line, counted over all lines ever added. */
  readonly firstSequence: number;
  readonly lines: readonly EmittedLine[];
  readonly bytes: number;
}

export interface BufferLimits {
  readonly maxBatchEvents: number;
  readonly maxBatchBytes: number;
  readonly maxBufferedEvents: number;
  readonly maxBufferedBytes: number;
}

/**
 * Holds lines until they are settled, never more than it may. What is being sent counts until it is: memory is bounded
 * whatever the other side does.
 */
export class LineBuffer {
  readonly #limits: BufferLimits;
  /** Sent lines stay at its head until it is cut. */
  #queue: EmittedLine[] = [];
  #head = 0;
  #queuedBytes = 0;
  #added = 0;
  readonly #sending = new Set<LineBatch>();
  #sendingEvents = 0;
  #sendingBytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  /** False when there is no room. */
  add(line: EmittedLine): boolean {
    const { maxBufferedEvents, maxBufferedBytes } = this.#limits;
    if (this.events >= maxBufferedEvents || this.bytes + line.bytes > maxBufferedBytes) return false;
    this.#queue.push(line);
    this.#queuedBytes += line.bytes;
    this.#added++;
    return true;
  }

  get events(): number {
    return this.queued + this.#sendingEvents;
  }

  get bytes(): number {
    return this.#queuedBytes + this.#sendingBytes;
  }

  /** Lines that no batch has taken yet. */
  get queued(): number {
    return this.#queue.length - this.#head;
  }

  get hasFullBatch(): boolean {
    return this.queued >= this.#limits.maxBatchEvents || this.#queuedBytes >= this.#limits.maxBatchBytes;
  }

  /** How many lines were ever added. */
  get added(): number {
    return this.#added;
  }

  /** Lines before this one, counted over all ever added, are settled. */
  get settledUpTo(): number {
    let oldest = this.#added - this.queued;
    for (const { firstSequence } of this.#sending) oldest = Math.min(oldest, firstSequence);
    return oldest;
  }

  /** The oldest lines, as many as a batch may hold and at least one; null when there are none. */
  take(): LineBatch | null {
    const { maxBatchEvents, maxBatchBytes } = this.#limits;
    const firstSequence = this.#added - this.queued;
    let to = this.#head;
    let bytes = 0;
    for (; to < this.#queue.length && to - this.#head < maxBatchEvents; to++) {
      const lineBytes = this.#queue[to]?.bytes ?? 0;
      if (to > this.#head && bytes + lineBytes > maxBatchBytes) break;
      bytes += lineBytes;
    }
    if (to === this.#head) return null;
    const batch = { firstSequence, lines: this.#queue.slice(this.#head, to), bytes };
    this.#head = to;
    this.#queuedBytes -= bytes;
    if (this.#head === this.#queue.length || this.#head > maxBatchEvents) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    this.#sending.add(batch);
    this.#sendingEvents += batch.lines.length;
    this.#sendingBytes += bytes;
    return batch;
  }

  /** A batch is done with: delivered or given up. */
  settle(batch: LineBatch): void {
    if (!this.#sending.delete(batch)) return;
    this.#sendingEvents -= batch.lines.length;
    this.#sendingBytes -= batch.bytes;
  }
}
