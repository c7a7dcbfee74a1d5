import type { DecisionEvent } from '../event/decision-event.ts';
import { mergeDecisions, sameIdentity } from '../event/merge-events.ts';

/** What one event adds to what is known of its request. */
export type Novelty = 'new' | 'duplicate' | 'conflict';

/** Requests by id: what is known of them so far, merged. Nearly every id has one entry; the others have short lists. */
export class KnownRequests {
  readonly #byId = new Map<string, DecisionEvent | DecisionEvent[]>();

  constructor(stored: readonly DecisionEvent[]) {
    for (const event of stored) this.learn(event);
  }

  /** Says what an event adds, and remembers it. */
  learn(event: DecisionEvent): Novelty {
    const entry = this.#byId.get(event.requestId);
    if (entry === undefined) {
      this.#byId.set(event.requestId, event);
      return 'new';
    }
    const known = Array.isArray(entry) ? entry : [entry];
    if (known !== entry) this.#byId.set(event.requestId, known);
    const index = known.findIndex((other) => sameIdentity(other, event));
    const same = known[index];
    if (same === undefined) {
      // The same attempt of the same request with another tenant or arrival is a conflict, not an update.
      const rival = known.some((other) => other.pool === event.pool && other.attempt === event.attempt);
      known.push(event);
      return rival ? 'conflict' : 'new';
    }
    const { merged, conflicts } = mergeDecisions(same, event);
    known[index] = merged;
    if (conflicts.length > 0) return 'conflict';
    return sameFacts(merged, same) ? 'duplicate' : 'new';
  }
}

function sameFacts(a: DecisionEvent, b: DecisionEvent): boolean {
  for (const field of FIELDS) if (a[field] !== b[field]) return false;
  return true;
}

const FIELDS = [
  'class',
  'outcome',
  'reason',
  'dispatchedAtMs',
  'completedAtMs',
  'status',
  'costEstimate',
  'cost',
  'inputTokens',
  'outputTokens',
  'slots',
  'originalRequestId',
  'retryAfterMs',
  'promoted',
  'weight',
  'queueDepth',
  'waitBudgetMs',
  'gateway',
  'labels',
  'tenantProvenance',
  'waitProvenance',
] as const satisfies readonly (keyof DecisionEvent)[];
