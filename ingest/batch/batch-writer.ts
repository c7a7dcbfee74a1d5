import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cell, type Settings, type Store, tsvRow } from '../../analytics/storage/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { storeDeadLetters } from '../dead-letters.ts';
import type { CoverageReport, DecisionEvent, PoolAnnouncement } from '../event/decision-event.ts';
import { leanShape } from '../event/event-row.ts';
import { KnownRequests } from './count-known.ts';
import { existingRequests, StoredMinutes } from './existing-requests.ts';
import { isSkewed, type Submission, type SubmissionResult } from './submission.ts';

export interface BatchWriterOptions {
  readonly nowMs: () => number;
  /** Events that may wait for the store before `submit` refuses. */
  readonly maxPendingEvents: number;
  /** Events per insert, about: submissions are never split. */
  readonly maxBatchEvents: number;
}

export const DEFAULT_MAX_PENDING_EVENTS = 200_000;
export const DEFAULT_MAX_BATCH_EVENTS = 20_000;

export interface BatchWriter {
  /**
   * Stores a submission; resolves once all of it is durable. Submissions that come while an insert is under way are
   * stored together by the next one, so that many small ones make few parts.
   *
   * @throws EVS_BUSY (retryable) when too much is pending already; EVS_STORE_… when the store refuses:
   * then nothing is promised, and submitting the same again is harmless.
   */
  submit(submission: Submission): Promise<SubmissionResult>;
  /** Events that wait for the store. */
  readonly pendingEvents: number;
  /** Resolves once nothing is pending. */
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
  let flushing: Promise<void> | null = null;

  const flushAll = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = takeBatch(queue, options.maxBatchEvents);
      try {
        const results = await writeBatch(
          { store, minutes },
          batch.map((pending) => pending.submission),
          options.nowMs(),
        );
        for (const [index, pending] of batch.entries()) pending.resolve(results[index] ?? NOTHING);
      } catch (error) {
        for (const pending of batch) pending.reject(error);
      }
      for (const pending of batch) pendingEvents -= weightOf(pending.submission);
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
      while (flushing !== null) await flushing;
    },
  };
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
}

/** Effects in order, each safe to repeat: 1 requests, 2 what pools and gateways announced, 3 dead letters, 4 answer. */
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
