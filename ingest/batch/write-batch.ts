import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cell, type Settings, type Store, tsvRow } from '../../analytics/storage/index.ts';
import { storeDeadLetters } from '../dead-letters.ts';
import type { CoverageReport, DecisionEvent, PoolAnnouncement } from '../event/decision-event.ts';
import { leanShape } from '../event/event-row.ts';
import { KnownRequests } from './count-known.ts';
import { existingRequests, type StoredMinutes } from './existing-requests.ts';
import { insertApart, type RefusedRow } from './insert-apart.ts';
import type { Refusals } from './refusals.ts';
import { isSkewed, type Submission, type SubmissionResult } from './submission.ts';

export interface BatchTarget {
  readonly store: Store;
  /** Minutes that are known to hold requests; what is written is added. */
  readonly minutes: StoredMinutes;
}

export interface Writing {
  readonly nowMs: number;
  /** Takes what the store does not take of the rows, so that all others are stored. */
  readonly refusals: Refusals;
}

/**
 * Effects in order, each safe to repeat: 1 requests, 2 what pools and gateways announced, 3 dead letters, 4 which offsets that
 * were, 5 answer.
 */
export async function writeBatch(
  into: BatchTarget,
  batch: readonly Submission[],
  writing: Writing,
): Promise<SubmissionResult[]> {
  const { store } = into;
  const { nowMs, refusals } = writing;
  const results = await writeRequests(into, batch, writing);
  const pools = batch.flatMap((submission) => submission.pools);
  refusals.add('pools', await insertPools(store, pools, nowMs));
  const coverage = batch.flatMap((submission) => submission.coverage);
  refusals.add('coverage', await insertCoverage(store, coverage, nowMs));
  await storeDeadLetters(store, [...batch.flatMap((submission) => submission.letters), ...refusals.letters]);
  await insertSpans(store, batch, writing);
  return results;
}

/** Events worked through at a time, before other work of the process gets its turn. */
const EVENTS_PER_TURN = 2_000;

/** Rows of one request are merged with the parts, and until then as they are read: merging what one insert holds is half of its work. */
const MERGE_LATER: Settings = { optimize_on_insert: 0 };

/** What this process has to do goes on while the engine looks and while it stores. */
async function writeRequests(
  { store, minutes }: BatchTarget,
  batch: readonly Submission[],
  { nowMs, refusals }: Writing,
): Promise<SubmissionResult[]> {
  const decisions = batch.flatMap((submission) => submission.decisions);
  if (decisions.length === 0) return countKnown(batch, new KnownRequests([]));
  const { columns, row } = leanShape(decisions, nowMs);
  const [stored, rows] = await Promise.all([existingRequests(store, decisions, minutes), inTurns(decisions, row)]);
  const [results, refused] = await Promise.all([
    countKnown(batch, new KnownRequests(stored)),
    insertRows(store, { name: 'requests', columns, settings: MERGE_LATER }, rows),
  ]);
  refusals.add('decisions', refused);
  return results;
}

interface TableInsert {
  readonly name: string;
  readonly columns: readonly string[];
  readonly settings?: Settings;
}

/** Returns the rows that the store does not take. */
function insertRows(store: Store, { name, columns, settings }: TableInsert, rows: readonly string[]) {
  return insertApart(
    (from, to) => store.insert('intake', name, columns, rows.slice(from, to).join(''), settings),
    rows.length,
  );
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

function insertPools(store: Store, pools: readonly PoolAnnouncement[], nowMs: number): Promise<RefusedRow[]> {
  const columns = ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'];
  const cells = (one: PoolAnnouncement): Cell[] => [
    one.pool,
    one.atMs,
    'announced',
    one.slots,
    one.capacityPerS,
    nowMs,
  ];
  const rows = pools.map((one) => tsvRow(cells(one)));
  return insertRows(store, { name: 'pool_capacity', columns }, rows);
}

function insertCoverage(store: Store, reports: readonly CoverageReport[], nowMs: number): Promise<RefusedRow[]> {
  const columns = ['pool', 'gateway', 'from_ms', 'to_ms', 'decisions', 'stored_at_ms'];
  const cells = (one: CoverageReport): Cell[] => [one.pool, one.gateway, one.fromMs, one.toMs, one.decisions, nowMs];
  const rows = reports.map((one) => tsvRow(cells(one)));
  return insertRows(store, { name: 'coverage_reports', columns }, rows);
}

async function insertSpans(store: Store, batch: readonly Submission[], { nowMs, refusals }: Writing): Promise<void> {
  const columns = ['topic', 'partition', 'from_offset', 'to_offset', 'messages', 'events', 'letters', 'stored_at_ms'];
  const rows = batch.flatMap(({ span, letters, decisions, pools, coverage }, index) => {
    if (span === undefined) return [];
    const { topic, partition, fromOffset, toOffset, messages } = span;
    const refused = refusals.lettersOf(index).length;
    const events = decisions.length + pools.length + coverage.length - refused;
    return [tsvRow([topic, partition, fromOffset, toOffset, messages, events, letters.length + refused, nowMs])];
  });
  await store.insert('intake', 'stream_progress', columns, rows.join(''));
}
