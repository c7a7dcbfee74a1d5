import type { EmittedEvent } from './emitted-event.ts';
import { lineOf } from './emitted-line.ts';
import type { Emitter, EmitterStats } from './emitter.ts';
import type { EmitterLimits, EmitterParts, EmitterTrouble } from './emitter-options.ts';
import { type EmittedLine, type LineBatch, LineBuffer } from './line-buffer.ts';
import { decideRetryDelayMs } from './retry-delay.ts';
import type { Transport } from './transport.ts';
import { TroubleTeller } from './trouble-teller.ts';

const DEFAULT_FLUSH_LIMIT_MS = 10_000;
const MAX_IN_FLIGHT = 4;

export interface EmitterInside {
  readonly limits: EmitterLimits;
  readonly parts: EmitterParts;
  readonly transport: Transport;
  readonly onTrouble: ((trouble: EmitterTrouble) => void) | undefined;
}

/** The emitter over any way to the other side. */
export class BufferedEmitter implements Emitter {
  readonly #inside: EmitterInside;
  readonly #buffer: LineBuffer;
  readonly #troubles: TroubleTeller;
  readonly #ended = new AbortController();
  /** Who waits until all lines before one are settled. */
  readonly #waiting = new Set<{ readonly upTo: number; readonly resolve: () => void }>();
  readonly #dropped = { buffer_full: 0, unreadable: 0, refused: 0, closed: 0 };
  #emitted = 0;
  #delivered = 0;
  #rejected = 0;
  #retries = 0;
  #inFlight = 0;
  /** What is queued now goes without waiting for more. */
  #isDue = false;
  #isTimed = false;
  #isStarting = false;
  #closing: Promise<boolean> | null = null;

  constructor(inside: EmitterInside) {
    this.#inside = inside;
    this.#buffer = new LineBuffer(inside.limits);
    this.#troubles = new TroubleTeller(inside.parts.nowMs, inside.onTrouble);
  }

  emit(event: EmittedEvent): boolean {
    if (this.#closing !== null) return this.#drop('closed');
    const line = lineOf(event);
    if (line === null) return this.#drop('unreadable');
    if (!this.#buffer.add(line)) {
      this.#troubles.tell('dropping', 'the buffer is full: events are dropped until there is room');
      return this.#drop('buffer_full');
    }
    this.#emitted++;
    if (this.#buffer.hasFullBatch) this.#startSoon();
    else this.#startLater();
    return true;
  }

  async flush(limitMs: number = DEFAULT_FLUSH_LIMIT_MS): Promise<boolean> {
    const upTo = this.#buffer.added;
    if (this.#buffer.settledUpTo >= upTo) return true;
    const letGo = this.#inside.parts.holdOpen();
    const over = new AbortController();
    let waiter = { upTo, resolve: (): void => undefined };
    try {
      const settled = new Promise<boolean>((resolve) => {
        waiter = { upTo, resolve: () => resolve(true) };
        this.#waiting.add(waiter);
      });
      this.#isDue = true;
      this.#startSoon();
      const limit = this.#inside.parts.sleep(limitMs, over.signal).then(() => false);
      return await Promise.race([settled, limit]);
    } finally {
      this.#waiting.delete(waiter);
      over.abort();
      letGo();
    }
  }

  close(limitMs: number = DEFAULT_FLUSH_LIMIT_MS): Promise<boolean> {
    this.#closing ??= this.#close(limitMs);
    return this.#closing;
  }

  async #close(limitMs: number): Promise<boolean> {
    const isDone = await this.flush(limitMs);
    this.#ended.abort();
    this.#dropped.closed += this.#buffer.events;
    const over = new AbortController();
    await Promise.race([
      this.#inside.transport.close().catch(() => undefined),
      this.#inside.parts.sleep(limitMs, over.signal),
    ]);
    over.abort();
    return isDone;
  }

  stats(): EmitterStats {
    const isEnded = this.#ended.signal.aborted;
    return {
      emitted: this.#emitted,
      delivered: this.#delivered,
      rejected: this.#rejected,
      dropped: { ...this.#dropped },
      retries: this.#retries,
      bufferedEvents: isEnded ? 0 : this.#buffer.events,
      bufferedBytes: isEnded ? 0 : this.#buffer.bytes,
    };
  }

  #drop(reason: keyof EmitterStats['dropped']): false {
    this.#dropped[reason]++;
    return false;
  }

  /** Starts once the oldest line has waited for its time. */
  #startLater(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    void this.#inside.parts.sleep(this.#inside.limits.maxDelayMs, this.#ended.signal).then(() => {
      this.#isTimed = false;
      this.#isDue = true;
      this.#start();
    });
  }

  /** Starts when the caller has gone on. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    void this.#inside.parts.nextTurn().then(() => {
      this.#isStarting = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && !this.#ended.signal.aborted) {
      if (!this.#buffer.hasFullBatch && !this.#isDue) return;
      const batch = this.#buffer.take();
      if (batch === null) {
        this.#isDue = false;
        return;
      }
      this.#inFlight++;
      void this.#deliver(batch.lines).then(() => this.#settled(batch));
    }
  }

  #settled(batch: LineBatch): void {
    this.#inFlight--;
    if (this.#ended.signal.aborted) return;
    this.#buffer.settle(batch);
    const { settledUpTo } = this.#buffer;
    for (const waiter of this.#waiting) {
      if (settledUpTo < waiter.upTo) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
    if (this.#buffer.queued > 0 && !this.#isDue) this.#startLater();
    this.#start();
  }

  /** Tries until the lines are delivered or refused for good, or the emitter has ended. */
  async #deliver(lines: readonly EmittedLine[]): Promise<void> {
    const { transport, parts } = this.#inside;
    for (let failedAttempts = 1; !this.#ended.signal.aborted; failedAttempts++) {
      const delivery = await transport.send(lines, this.#ended.signal);
      if (this.#ended.signal.aborted && delivery.kind !== 'delivered') return;
      switch (delivery.kind) {
        case 'delivered':
          this.#count(lines.length, delivery.rejected);
          return;
        case 'too_large':
          if (lines.length === 1) return this.#refuse(1, delivery.why);
          await this.#deliver(lines.slice(0, lines.length / 2));
          return this.#deliver(lines.slice(lines.length / 2));
        case 'refused':
          return this.#refuse(lines.length, delivery.why);
        case 'failed': {
          this.#troubles.tell('failing', `${delivery.why}: events are kept and sent again`);
          const { retryAfterMs } = delivery;
          const delayMs = decideRetryDelayMs({ failedAttempts, retryAfterMs, chance: parts.random.next() });
          await parts.sleep(delayMs, this.#ended.signal);
          if (!this.#ended.signal.aborted) this.#retries++;
        }
      }
    }
  }

  #count(lines: number, rejected: number): void {
    // After the end what was left is counted as dropped: it may have arrived all the same.
    if (this.#ended.signal.aborted) return;
    this.#delivered += lines;
    this.#rejected += rejected;
    if (rejected > 0) {
      this.#troubles.tell('rejected', `Evenshare keeps ${rejected} of ${lines} events as dead letters: it tells why`);
    }
    // While the buffer is nearly full, the next drop is near.
    if (this.#buffer.events <= this.#inside.limits.maxBufferedEvents / 2) this.#troubles.over();
  }

  #refuse(lines: number, why: string): void {
    this.#dropped.refused += lines;
    this.#troubles.tell('refused', `${why}: ${lines} events are given up`);
  }
}
