import { assertInvariant } from '../../scheduler-core/kernel/index.ts';
import type { DecisionEvent } from './decision-event.ts';

/**
 * How two events stand to each other. `conflict`: the same (pool, request id, attempt) with another tenant or another
 * arrival; such events are neither merged nor does one replace the other.
 */
export type IdentityRelation = 'same' | 'conflict' | 'other';

export function identityRelation(a: DecisionEvent, b: DecisionEvent): IdentityRelation {
  if (a.requestId !== b.requestId || a.pool !== b.pool || a.attempt !== b.attempt) return 'other';
  return a.arrivedAtMs === b.arrivedAtMs && a.tenant === b.tenant ? 'same' : 'conflict';
}

/** Whether two events tell of one attempt of one request and may be merged. */
export function sameIdentity(a: DecisionEvent, b: DecisionEvent): boolean {
  return identityRelation(a, b) === 'same';
}

export interface MergeResult {
  readonly merged: DecisionEvent;
  /** Wire names, sorted, of the fields in which both events say something and not the same. */
  readonly conflicts: readonly string[];
}

/** The non-null value, else the greater: numbers by value, texts by code point (`rejected` > `admitted`), true > false. */
function greater<T extends string | number | boolean>(a: T | null, b: T | null): T | null {
  if (a === null) return b;
  if (b === null || a === b) return a;
  const isGreater = typeof a === 'string' && typeof b === 'string' ? isAfter(a, b) : a > b;
  return isGreater ? a : b;
}

/** The order of code points, which is that of UTF-8 bytes: what the store says of two texts. JavaScript's is of code units. */
function isAfter(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === a.length || at === b.length) return a.length > b.length;
  return rank(a.charCodeAt(at)) > rank(b.charCodeAt(at));
}

/** Surrogates stand for code points above all that one unit can hold. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * Merges two events of one identity field by field; commutative, associative and idempotent, so that neither the order
 * nor the number of deliveries matters. Labels and provenances are notes on the facts: they merge alike (of
 * provenances a named one beats null) but their difference is no conflict, since events of one request differ in them
 * by their nature. Throws `EVS_INVARIANT` when the identities differ.
 */
export function mergeDecisions(a: DecisionEvent, b: DecisionEvent): MergeResult {
  assertInvariant(sameIdentity(a, b), 'only events of one identity are merged');
  const conflicts: string[] = [];
  const pick = <T extends string | number | boolean>(field: string, x: T | null, y: T | null): T | null => {
    if (x !== null && y !== null && x !== y) conflicts.push(field);
    return greater(x, y);
  };
  const merged: DecisionEvent = {
    requestId: a.requestId,
    pool: a.pool,
    tenant: a.tenant,
    attempt: a.attempt,
    arrivedAtMs: a.arrivedAtMs,
    class: pick('class', a.class, b.class),
    outcome: pick('outcome', a.outcome, b.outcome),
    reason: pick('reason', a.reason, b.reason),
    dispatchedAtMs: pick('dispatched_at', a.dispatchedAtMs, b.dispatchedAtMs),
    completedAtMs: pick('completed_at', a.completedAtMs, b.completedAtMs),
    status: pick('status', a.status, b.status),
    costEstimate: pick('cost_estimate', a.costEstimate, b.costEstimate),
    cost: pick('cost', a.cost, b.cost),
    inputTokens: pick('input_tokens', a.inputTokens, b.inputTokens),
    outputTokens: pick('output_tokens', a.outputTokens, b.outputTokens),
    slots: pick('slots', a.slots, b.slots),
    originalRequestId: pick('original_request_id', a.originalRequestId, b.originalRequestId),
    retryAfterMs: pick('retry_after_ms', a.retryAfterMs, b.retryAfterMs),
    promoted: pick('promoted', a.promoted, b.promoted),
    weight: pick('weight', a.weight, b.weight),
    queueDepth: pick('queue_depth', a.queueDepth, b.queueDepth),
    waitBudgetMs: pick('wait_budget_ms', a.waitBudgetMs, b.waitBudgetMs),
    gateway: pick('gateway', a.gateway, b.gateway),
    labels: greater(a.labels, b.labels),
    tenantProvenance: greater(a.tenantProvenance, b.tenantProvenance),
    waitProvenance: greater(a.waitProvenance, b.waitProvenance),
  };
  return { merged, conflicts: conflicts.sort() };
}
