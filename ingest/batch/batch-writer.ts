import type { Store } from '../../analytics/storage/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { DeadLetter } from '../dead-letters.ts';
import { StoredMinutes } from './existing-requests.ts';
import { decideGatherMs, type GatherLimits } from './flush-policy.ts';
import { Refusals } from './refusals.ts';
import type { Submission, SubmissionResult } from './submission.ts';
import { type BatchTarget, writeBatch } from './write-batch.ts';

/** Told of what the writer does, to be counted. */
export interface BatchWatch {
  /** So many events, letters and announcements were stored together, in so long. */
  batchStored(events: number, durationMs: number): void;
  /** The store refused; the code of the error. */
  insertFailed(code: string): void;
}

export interface BatchWriterOptions {
  readonly nowMs: () => number;
  /** Events that may wait for the store before `submit` refuses. */
  readonly maxPendingEvents: number;
  /** Events per insert, about: submissions are never split. */
  readonly maxBatchEvents: number;
  /** How small submissions wait for each other; default: an insert begins as soon as the one before has ended. */
  readonly gather?: GatherLimits & {
    /** Resolves after so long, or as soon as the signal aborts. */
    readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  };
  readonly watch?: BatchWatch;
}

export const DEFAULT_MAX_PENDING_EVENTS = 200_000;
export const DEFAULT_MAX_BATCH_EVENTS = 20_000;

export interface BatchWriter {
  /**
   * Stores a submission; resolves once all of it is durable. Submissions that come while an insert is under way, or
   * within `gather.everyMs` of its start, are stored together by the next one, so that many small ones make few parts.
   *
   * @throws EVS_BUSY (retryable) when too much is pending already; EVS_STORE_… when the store refuses:
   * then nothing is promised, and submitting the same again is harmless.
   */
  submit(submission: Submission): Promise<SubmissionResult>;
  /** Events that wait for the store. */
  readonly pendingEvents: number;
  /** Stores what is pending without waiting for more; resolves once nothing is. */
  drain(): Promise<void>;
}

interface Pending {
  readonly submission: Submission;
  readonly resolve: (result: SubmissionResult) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatchWriter(store: Store, options: BatchWriterOptions): BatchWriter {
  const queue: Pending[] = [];
  const minutes = new StoredMinutes();
  let pendingEvents = 0;
  let queuedEvents = 0;
  let flushing: Promise<void> | null = null;
  let lastStartMs: number | null = null;
  let isDraining = false;
  /** Ends the wait for company. */
  let hurry: AbortController | null = null;

  const gather = async (): Promise<void> => {
    const limits = options.gather;
    if (limits === undefined || isDraining) return;
    const waitMs = decideGatherMs({ nowMs: options.nowMs(), lastStartMs, events: queuedEvents }, limits);
    if (waitMs === 0) return;
    hurry = new AbortController();
    await limits.sleep(waitMs, hurry.signal);
    hurry = null;
  };

  const flushAll = async (): Promise<void> => {
    while (queue.length > 0) {
      await gather();
      lastStartMs = options.nowMs();
      const batch = takeBatch(queue, options.maxBatchEvents);
      let events = 0;
      for (const pending of batch) events += weightOf(pending.submission);
      queuedEvents -= events;
      const into = { store, minutes, watch: options.watch };
      const isStored = await answerAll(into, batch, lastStartMs);
      if (isStored) options.watch?.batchStored(events, options.nowMs() - lastStartMs);
      pendingEvents -= events;
    }
    flushing = null;
  };

  return {
    submit(submission) {
      const weight = weightOf(submission);
      if (pendingEvents > 0 && pendingEvents + weight > options.maxPendingEvents) {
        return Promise.reject(
          new EvenshareError('EVS_BUSY', 'the store is behind: send the same again a little later', {
            retryable: true,
          }),
        );
      }
      pendingEvents += weight;
      queuedEvents += weight;
      if (options.gather !== undefined && queuedEvents >= options.gather.fullEvents) hurry?.abort();
      return new Promise((resolve, reject) => {
        queue.push({ submission, resolve, reject });
        // Started in a later turn, so that what comes in the same turn goes together.
        flushing ??= Promise.resolve().then(flushAll);
      });
    },
    get pendingEvents() {
      return pendingEvents;
    },
    drain: async () => {
      isDraining = true;
      hurry?.abort();
      while (flushing !== null) await flushing;
      isDraining = false;
    },
  };
}

interface WatchedTarget extends BatchTarget {
  readonly watch?: BatchWatch | undefined;
}

/** Stores a batch and answers each submission. True when it was stored, but for rows that the store does not take. */
async function answerAll(into: WatchedTarget, batch: readonly Pending[], nowMs: number): Promise<boolean> {
  const submissions = batch.map((pending) => pending.submission);
  const refusals = new Refusals(submissions);
  try {
    const results = await writeBatch(into, submissions, { nowMs, refusals });
    for (const [index, { resolve, reject }] of batch.entries()) {
      const failure = refusals.failureOf(index);
      if (failure !== undefined) reject(failure);
      else resolve(withRefused(results[index] ?? NOTHING, refusals.lettersOf(index)));
    }
    if (!refusals.isEmpty) into.watch?.insertFailed('EVS_STORE_FAILED');
    return true;
  } catch (error) {
    into.watch?.insertFailed(error instanceof EvenshareError ? error.code : 'unexpected');
    for (const pending of batch) pending.reject(error);
    return false;
  }
}

function withRefused(result: SubmissionResult, refused: readonly DeadLetter[]): SubmissionResult {
  return refused.length === 0 ? result : { ...result, accepted: result.accepted - refused.length, refused };
}

const NOTHING: SubmissionResult = { accepted: 0, duplicate: 0, conflict: 0, skewed: 0 };

function weightOf(submission: Submission): number {
  return submission.decisions.length + submission.letters.length + submission.pools.length + submission.coverage.length;
}

function takeBatch(queue: Pending[], maxEvents: number): Pending[] {
  let events = 0;
  let count = 0;
  for (const pending of queue) {
    if (count > 0 && events + weightOf(pending.submission) > maxEvents) break;
    events += weightOf(pending.submission);
    count++;
  }
  return queue.splice(0, count);
}
