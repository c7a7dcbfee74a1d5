import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cell, isAboutRows, type Settings, type Store, tsvRow } from '../../analytics/storage/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { storeDeadLetters } from '../dead-letters.ts';
import type { CoverageReport, DecisionEvent, PoolAnnouncement } from '../event/decision-event.ts';
import { leanShape } from '../event/event-row.ts';
import { KnownRequests } from './count-known.ts';
import { existingRequests, StoredMinutes } from './existing-requests.ts';
import { decideGatherMs, type GatherLimits } from './flush-policy.ts';
import { isSkewed, type Submission, type SubmissionResult } from './submission.ts';
import { writeRowsApart } from './write-rows-apart.ts';

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
      const isStored = await writeApart(into, batch, { nowMs: lastStartMs, splitsLeft: MAX_SPLITS });
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

/** How often a refused batch is cut in two: enough to find a few bad submissions among thousands. */
const MAX_SPLITS = 48;

/**
 * Stores a batch and answers each submission. What the store refuses for its rows is stored by halves, so that one row
 * that it cannot take fails the sender of that row, or becomes a dead letter where its origin is known, and nobody who
 * happened to come along with it. True when all of it was stored as it came.
 */
async function writeApart(
  into: Target,
  batch: readonly Pending[],
  attempt: { readonly nowMs: number; splitsLeft: number },
): Promise<boolean> {
  try {
    const submissions = batch.map((pending) => pending.submission);
    const results = await writeBatch(into, submissions, attempt.nowMs);
    for (const [index, pending] of batch.entries()) pending.resolve(results[index] ?? NOTHING);
    return true;
  } catch (error) {
    into.watch?.insertFailed(error instanceof EvenshareError ? error.code : 'unexpected');
    const [only] = batch;
    if (isAboutRows(error) && only !== undefined && batch.length === 1) {
      await answerWith(only, () =>
        writeRowsApart((some) => writeOne(into, some, attempt.nowMs), only.submission, error),
      );
      return false;
    }
    if (attempt.splitsLeft === 0 || !isAboutRows(error)) {
      for (const pending of batch) pending.reject(error);
      return false;
    }
    attempt.splitsLeft--;
    const middle = Math.ceil(batch.length / 2);
    const isFirstStored = await writeApart(into, batch.slice(0, middle), attempt);
    const isSecondStored = await writeApart(into, batch.slice(middle), attempt);
    return isFirstStored && isSecondStored;
  }
}

async function answerWith(pending: Pending, work: () => Promise<SubmissionResult>): Promise<void> {
  try {
    pending.resolve(await work());
  } catch (error) {
    pending.reject(error);
  }
}

async function writeOne(into: Target, submission: Submission, nowMs: number): Promise<SubmissionResult> {
  const [result] = await writeBatch(into, [submission], nowMs);
  return result ?? NOTHING;
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

interface Target {
  readonly store: Store;
  readonly minutes: StoredMinutes;
  readonly watch?: BatchWatch | undefined;
}

/**
 * Effects in order, each safe to repeat: 1 requests, 2 what pools and gateways announced, 3 dead letters, 4 which offsets that
 * were, 5 answer.
 */
async function writeBatch(into: Target, batch: readonly Submission[], nowMs: number): Promise<SubmissionResult[]> {
  const { store } = into;
  const results = await writeRequests(into, batch, nowMs);
  await insertPools(
    store,
    batch.flatMap((submission) => submission.pools),
    nowMs,
  );
  await insertCoverage(
    store,
    batch.flatMap((submission) => submission.coverage),
    nowMs,
  );
  await storeDeadLetters(
    store,
    batch.flatMap((submission) => submission.letters),
  );
  await insertSpans(store, batch, nowMs);
  return results;
}

/** Events worked through at a time, before other work of the process gets its turn. */
const EVENTS_PER_TURN = 2_000;

/** Rows of one request are merged with the parts, and until then as they are read: merging what one insert holds is half of its work. */
const MERGE_LATER: Settings = { optimize_on_insert: 0 };

/** What this process has to do goes on while the engine looks and while it stores. */
async function writeRequests(
  { store, minutes }: Target,
  batch: readonly Submission[],
  nowMs: number,
): Promise<SubmissionResult[]> {
  const decisions = batch.flatMap((submission) => submission.decisions);
  if (decisions.length === 0) return countKnown(batch, new KnownRequests([]));
  const { columns, row } = leanShape(decisions, nowMs);
  const [stored, rows] = await Promise.all([existingRequests(store, decisions, minutes), inTurns(decisions, row)]);
  const [results] = await Promise.all([
    countKnown(batch, new KnownRequests(stored)),
    store.insert('intake', 'requests', columns, rows.join(''), MERGE_LATER),
  ]);
  return results;
}

async function inTurns<Result>(
  events: readonly DecisionEvent[],
  work: (event: DecisionEvent) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const event of events) {
    results.push(work(event));
    if (results.length % EVENTS_PER_TURN === 0) await nextTurn();
  }
  return results;
}

async function countKnown(batch: readonly Submission[], known: KnownRequests): Promise<SubmissionResult[]> {
  const results: SubmissionResult[] = [];
  for (const { decisions } of batch) {
    let duplicate = 0;
    let conflict = 0;
    let skewed = 0;
    await inTurns(decisions, (event) => {
      const novelty = known.learn(event);
      if (novelty === 'duplicate') duplicate++;
      else if (novelty === 'conflict') conflict++;
      if (isSkewed(event)) skewed++;
    });
    results.push({ accepted: decisions.length, duplicate, conflict, skewed });
  }
  return results;
}

async function insertPools(store: Store, pools: readonly PoolAnnouncement[], nowMs: number): Promise<void> {
  const columns = ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'];
  const cells = (one: PoolAnnouncement): Cell[] => [
    one.pool,
    one.atMs,
    'announced',
    one.slots,
    one.capacityPerS,
    nowMs,
  ];
  await store.insert('intake', 'pool_capacity', columns, pools.map((one) => tsvRow(cells(one))).join(''));
}

async function insertCoverage(store: Store, reports: readonly CoverageReport[], nowMs: number): Promise<void> {
  const columns = ['pool', 'gateway', 'from_ms', 'to_ms', 'decisions', 'stored_at_ms'];
  const cells = (one: CoverageReport): Cell[] => [one.pool, one.gateway, one.fromMs, one.toMs, one.decisions, nowMs];
  await store.insert('intake', 'coverage_reports', columns, reports.map((one) => tsvRow(cells(one))).join(''));
}

async function insertSpans(store: Store, batch: readonly Submission[], nowMs: number): Promise<void> {
  const columns = ['topic', 'partition', 'from_offset', 'to_offset', 'messages', 'events', 'letters', 'stored_at_ms'];
  const rows = batch.flatMap(({ span, letters, decisions, pools, coverage }) => {
    if (span === undefined) return [];
    const { topic, partition, fromOffset, toOffset, messages } = span;
    const events = decisions.length + pools.length + coverage.length;
    return [tsvRow([topic, partition, fromOffset, toOffset, messages, events, letters.length, nowMs])];
  });
  await store.insert('intake', 'stream_progress', columns, rows.join(''));
}
