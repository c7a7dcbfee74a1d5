import {
  type BatchWriter,
  type DecisionEvent,
  identityRelation,
  isSkewed,
  mergeDecisions,
  type Submission,
  type SubmissionResult,
} from '../ingest/index.ts';
import { EvenshareError, type RecordedRequest } from '../scheduler-core/index.ts';

/** A replay holds its whole log in memory, at about half a kilobyte each. */
const MOST_REQUESTS = 5_000_000;

/** What a log holds of one pool. */
export interface PoolLog {
  readonly requests: readonly RecordedRequest[];
  /** As the pool announced itself, at its largest; null: it did not. */
  readonly announcedSlots: number | null;
}

/**
 * Takes the events of log files into memory, several events of one request merged, instead of a store. Events with the id
 * of another request but another tenant or arrival are counted as conflicts, and both are kept.
 */
export class LogInMemory implements BatchWriter {
  readonly pendingEvents = 0;
  /** By identity: pool, request, attempt, arrival, tenant. */
  readonly #events = new Map<string, DecisionEvent>();
  /** The first event of each pool, request and attempt. */
  readonly #first = new Map<string, DecisionEvent>();
  readonly #slots = new Map<string, number>();

  async submit(submission: Submission): Promise<SubmissionResult> {
    let duplicate = 0;
    let conflict = 0;
    let skewed = 0;
    for (const event of submission.decisions) {
      const kind = this.#add(event);
      if (kind === 'duplicate') duplicate++;
      if (kind === 'conflict') conflict++;
      if (isSkewed(event)) skewed++;
    }
    for (const { pool, slots } of submission.pools) {
      if (slots !== null) this.#slots.set(pool, Math.max(slots, this.#slots.get(pool) ?? 0));
    }
    const { decisions, pools, coverage } = submission;
    return { accepted: decisions.length + pools.length + coverage.length, duplicate, conflict, skewed };
  }

  async drain(): Promise<void> {}

  /** Pools that have requests, in code-unit order. */
  pools(): string[] {
    return [...new Set(Array.from(this.#events.values(), ({ pool }) => pool))].sort();
  }

  pool(name: string): PoolLog {
    const requests: RecordedRequest[] = [];
    for (const [id, event] of this.#events) if (event.pool === name) requests.push(recordedRequest(id, event));
    return { requests, announcedSlots: this.#slots.get(name) ?? null };
  }

  #add(event: DecisionEvent): 'new' | 'merged' | 'duplicate' | 'conflict' {
    const { pool, requestId, attempt, arrivedAtMs, tenant } = event;
    const attemptKey = JSON.stringify([pool, requestId, attempt]);
    const key = JSON.stringify([pool, requestId, attempt, arrivedAtMs, tenant]);
    const known = this.#events.get(key);
    if (known !== undefined) {
      const { merged, conflicts } = mergeDecisions(known, event);
      this.#events.set(key, merged);
      if (conflicts.length > 0) return 'conflict';
      return JSON.stringify(merged) === JSON.stringify(known) ? 'duplicate' : 'merged';
    }
    if (this.#events.size >= MOST_REQUESTS) {
      const why = `the log holds over ${MOST_REQUESTS} requests, more than a replay takes at once: give a part of it`;
      throw new EvenshareError('EVS_USAGE', why);
    }
    this.#events.set(key, event);
    const first = this.#first.get(attemptKey);
    if (first === undefined) this.#first.set(attemptKey, event);
    return first !== undefined && identityRelation(first, event) === 'conflict' ? 'conflict' : 'new';
  }
}

function recordedRequest(id: string, event: DecisionEvent): RecordedRequest {
  const isRejected = event.outcome === 'rejected';
  return {
    id,
    tenant: event.tenant,
    class: event.class,
    arrivedAtMs: event.arrivedAtMs,
    rejectedFor: isRejected ? (event.reason ?? 'other') : null,
    dispatchedAtMs: isRejected ? null : event.dispatchedAtMs,
    completedAtMs: event.completedAtMs,
    status: event.status,
    costEstimate: event.costEstimate,
    cost: event.cost,
    inputTokens: event.inputTokens,
    outputTokens: event.outputTokens,
    slots: event.slots ?? 1,
    originalId: event.originalRequestId ?? null,
    promoted: event.promoted ?? false,
    waitBudgetMs: event.waitBudgetMs,
    isWaitKnown: event.waitProvenance !== 'absent' && !isSkewed(event),
  };
}
