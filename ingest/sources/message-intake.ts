import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { BatchWriter } from '../batch/batch-writer.ts';
import type { Submission, SubmissionResult } from '../batch/submission.ts';
import type { DeadLetter } from '../dead-letters.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { backoffMs } from './backoff.ts';
import type { IntakeLimits } from './intake-limits.ts';
import type { MessageReader } from './kafka-record.ts';
import type {
  MessageSink,
  MessageSource,
  SourceClock,
  SourceLog,
  SourceMessage,
  StartPosition,
} from './message-source.ts';
import { OffsetCommitter, type StoredPartition } from './offset-committer.ts';
import { type BufferedBatch, PartitionBuffer } from './partition-buffer.ts';
import { TroubleLog } from './trouble-log.ts';

/** Between two attempts to store a batch. */
const MAX_STORE_WAIT_MS = 10 * SECOND_MS;

export interface MessageIntakeOptions {
  /** Whose offsets these are. */
  readonly topic: string;
  readonly read: MessageReader;
  readonly writer: BatchWriter;
  readonly metrics: IngestMetrics | null;
  readonly clock: SourceClock;
  readonly log: SourceLog;
  /** What is said of the source, shared with whoever opens it again. */
  readonly sourceTrouble: TroubleLog;
  readonly limits: IntakeLimits;
}

/** A partition that is this process's, from one division of the group to the next. */
interface OwnPartition extends StoredPartition {
  readonly buffer: PartitionBuffer;
  endOffset: number | null;
  /** When the newest message before `storedOffset` was written, epoch ms; null before one is known. */
  storedWrittenAtMs: number | null;
  /** Of what was taken and is not stored: up to which offset, and when its last message was written. */
  written: { readonly nextOffset: number; readonly atMs: number }[];
  isHeld: boolean;
  /** Under way; resolves when the batches that it was begun for are stored, or no longer this process's. */
  flush: Promise<void> | null;
}

/**
 * Takes messages from a source and stores them: per partition one batch after another, the effects in their order,
 * 1 events, 2 dead letters (both the writer's), 3 the offset. An offset is committed only when everything before it is
 * durable; what was stored and not committed comes again and changes nothing.
 */
export class MessageIntake implements MessageSink {
  /** Rejects when the store refuses for good. */
  readonly failed: Promise<never>;
  readonly #options: MessageIntakeOptions;
  readonly #own = new Map<number, OwnPartition>();
  readonly #storing: TroubleLog;
  readonly #committer: OffsetCommitter;
  readonly #ended = new AbortController();
  #source: MessageSource | null = null;
  #heldMessages = 0;
  #heldBytes = 0;
  #storesUnderWay = 0;
  #lastAdvanceMs: number;
  #fail: (error: unknown) => void = () => undefined;

  constructor(options: MessageIntakeOptions) {
    this.#options = options;
    this.#storing = new TroubleLog(options.log, 'storing the messages of Kafka');
    this.#lastAdvanceMs = options.clock.nowMs();
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
    this.#committer = new OffsetCommitter({
      source: () => this.#source,
      partitions: () => this.#own.values(),
      trouble: options.sourceTrouble,
      onFailure: this.#fail,
    });
  }

  /** When the loop last did all that there was to do, epoch ms. */
  get lastAdvanceMs(): number {
    return this.#lastAdvanceMs;
  }

  get heldMessages(): number {
    return this.#heldMessages;
  }

  /** By partition, in order. */
  partitions(): readonly Readonly<StoredPartition & { endOffset: number | null; storedWrittenAtMs: number | null }>[] {
    return [...this.#own.values()].sort((a, b) => a.partition - b.partition);
  }

  revoke(): void {
    this.#source = null;
    this.#own.clear();
    this.#heldMessages = 0;
    this.#heldBytes = 0;
  }

  assign(source: MessageSource, starts: ReadonlyMap<number, StartPosition>): void {
    this.#source = source;
    const { maxBatchMessages, maxBatchBytes } = this.#options.limits;
    for (const [partition, { offset, isCommitted }] of starts) {
      this.#own.set(partition, {
        partition,
        buffer: new PartitionBuffer({ maxMessages: maxBatchMessages, maxBytes: maxBatchBytes }),
        storedOffset: offset,
        committedOffset: isCommitted ? offset : null,
        endOffset: null,
        storedWrittenAtMs: null,
        written: [],
        isHeld: false,
        flush: null,
      });
    }
  }

  take(partition: number, messages: readonly SourceMessage[], nextOffset: number): void {
    const own = this.#own.get(partition);
    if (own === undefined) return;
    const from = { partition, nowMs: this.#options.clock.nowMs() };
    for (const message of messages) {
      const bytes = message.value?.byteLength ?? 0;
      own.buffer.add(bytes, message.offset + 1, (into) => this.#options.read(into, message, from));
      this.#heldBytes += bytes;
    }
    own.buffer.advance(nextOffset);
    const atMs = messages.at(-1)?.writtenAtMs ?? null;
    if (atMs !== null) own.written.push({ nextOffset, atMs });
    this.#heldMessages += messages.length;
    if (own.buffer.hasFull) this.#flush(own, false);
    this.#holdBack(own);
  }

  sawEnd(partition: number, endOffset: number): void {
    const own = this.#own.get(partition);
    if (own !== undefined) own.endOffset = Math.max(own.endOffset ?? 0, endOffset);
  }

  turned(): void {
    // While something is being stored, that is what has to get on.
    if (this.#storesUnderWay === 0) this.#advanced();
  }

  /** Stores and commits all that is held; resolves when that is done, or can no longer be. To be called after `holdAll`. */
  async drain(): Promise<void> {
    for (;;) {
      const filled = [...this.#own.values()].filter((own) => !own.buffer.isEmpty);
      if (filled.length === 0) break;
      for (const own of filled) this.#flush(own, true);
      await Promise.all(filled.map((own) => own.flush));
    }
    this.#committer.request();
    await this.#committer.idle();
  }

  /** Holds back every partition: nothing more is fetched. */
  holdAll(): void {
    for (const own of this.#own.values()) this.#hold(own);
  }

  /** Lets go of everything; attempts under way are not repeated. */
  end(): void {
    this.#ended.abort();
    this.revoke();
  }

  /** Stores what has waited for its time, commits what is stored. To be called every `maxDelayMs`. */
  tick(): void {
    for (const own of this.#own.values()) this.#flush(own, true);
    this.#committer.request();
  }

  #advanced(): void {
    if (!this.#options.sourceTrouble.isFailing) this.#lastAdvanceMs = this.#options.clock.nowMs();
  }

  #flush(own: OwnPartition, isOpenToo: boolean): void {
    own.flush ??= this.#storeBatches(own, isOpenToo).then(
      () => {
        own.flush = null;
        if (this.#isOwn(own) && own.buffer.hasFull) this.#flush(own, false);
      },
      (error: unknown) => {
        this.#fail(error);
        this.end();
      },
    );
  }

  async #storeBatches(own: OwnPartition, isOpenToo: boolean): Promise<void> {
    for (let isOpenAsked = isOpenToo; ; isOpenAsked = false) {
      const batch = own.buffer.oldest(isOpenAsked);
      if (batch === null) return;
      const isStored = await this.#store(own, batch);
      if (!isStored) return;
      own.buffer.remove();
      own.storedOffset = batch.nextOffset;
      while (own.written[0] !== undefined && own.written[0].nextOffset <= batch.nextOffset) {
        own.storedWrittenAtMs = own.written.shift()?.atMs ?? null;
      }
      this.#heldMessages -= batch.messages;
      this.#heldBytes -= batch.bytes;
      this.#advanced();
      this.#committer.request();
      this.#letGoOn();
    }
  }

  /** Tries until it is stored; false when it is no longer this process's to store. */
  async #store(own: OwnPartition, batch: BufferedBatch): Promise<boolean> {
    const { writer, clock } = this.#options;
    this.#storesUnderWay++;
    try {
      for (let attempt = 0; this.#isOwn(own); attempt++) {
        try {
          const result = batch.messages === 0 ? null : await writer.submit(this.#spanned(own, batch));
          if (result !== null) this.#count(own.partition, batch, result);
          this.#storing.worked();
          return this.#isOwn(own);
        } catch (error) {
          if (!(error instanceof EvenshareError && error.retryable)) throw error;
          this.#storing.failed(error);
        }
        await clock.sleep(backoffMs(attempt, MAX_STORE_WAIT_MS), this.#ended.signal);
      }
      return false;
    } finally {
      this.#storesUnderWay--;
    }
  }

  #spanned({ partition, storedOffset }: OwnPartition, { submission, messages, nextOffset }: BufferedBatch): Submission {
    const { decisions, pools, coverage, letters, origins } = submission;
    const span = { topic: this.#options.topic, partition, fromOffset: storedOffset, toOffset: nextOffset, messages };
    return { decisions, pools, coverage, letters, span, ...(origins === undefined ? {} : { origins }) };
  }

  #count(partition: number, batch: BufferedBatch, result: SubmissionResult): void {
    const { metrics, log } = this.#options;
    const refused: readonly DeadLetter[] = result.refused ?? [];
    const letters = [...batch.submission.letters, ...refused];
    metrics?.countStored(result, letters);
    metrics?.countMessages(partition, {
      messages: batch.messages,
      events: result.accepted,
      letters: letters.length,
    });
    const first = refused[0];
    if (first === undefined) return;
    log.error(
      { source: first.source, position: first.position, rows: refused.length },
      `the store does not take ${refused.length} row(s), which are dead letters now: ${first.detail}`,
    );
  }

  #isOwn(own: OwnPartition): boolean {
    return this.#own.get(own.partition) === own;
  }

  #holdBack(own: OwnPartition): void {
    if (!this.#hasRoom()) {
      this.holdAll();
      // Many partitions with little each: none would become a batch of its own.
      this.tick();
    } else if (own.buffer.messages >= 2 * this.#options.limits.maxBatchMessages) this.#hold(own);
  }

  #hold(own: OwnPartition): void {
    if (own.isHeld) return;
    own.isHeld = true;
    this.#source?.pause(own.partition);
  }

  #letGoOn(): void {
    if (this.#ended.signal.aborted || !this.#hasRoom()) return;
    for (const own of this.#own.values()) {
      if (!own.isHeld || own.buffer.messages >= this.#options.limits.maxBatchMessages) continue;
      own.isHeld = false;
      this.#source?.resume(own.partition);
    }
  }

  #hasRoom(): boolean {
    const { maxHeldMessages, maxHeldBytes } = this.#options.limits;
    return this.#heldMessages < maxHeldMessages && this.#heldBytes < maxHeldBytes;
  }
}
