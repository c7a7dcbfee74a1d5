export interface WaitForecast {
  /** Work that will be served before the request, in the unit of `costPerMs`; ≥ 0. See `costAheadInFairQueue`. */
  readonly costAhead: number;
  /** What the pool serves per ms; null: not known yet. */
  readonly costPerMs: number | null;
  /** How long until the next slot comes free, ms; Infinity without slots; default 0. */
  readonly untilSlotFreeMs?: number;
}

/** When a request that arrives now would be dispatched, ms from now; Infinity when never, null when nobody can tell. */
export function predictWaitMs({ costAhead, costPerMs, untilSlotFreeMs = 0 }: WaitForecast): number | null {
  if (costAhead === 0) return untilSlotFreeMs;
  return costPerMs === null ? null : untilSlotFreeMs + costAhead / costPerMs;
}

export interface FairQueueBacklog {
  /** What the request itself costs. */
  readonly requestCost: number;
  /** What its tenant has waiting before it. */
  readonly ownCost: number;
  /** What all have waiting, its tenant included. */
  readonly totalCost: number;
  /** `w_i`. */
  readonly weight: number;
  /** `Σ w` over the tenants that have something waiting, its own included. */
  readonly activeWeight: number;
}

/**
 * Work served before a tenant's next request under fair queueing: while its own backlog and the request are worked off,
 * the others get their weights' worth beside it, but never more than they have. On the careful side, as queues that run
 * empty leave their part to the rest.
 */
export function costAheadInFairQueue(backlog: FairQueueBacklog): number {
  const { requestCost, ownCost, totalCost, weight, activeWeight } = backlog;
  const othersPerOwn = Math.max(0, activeWeight - weight) / weight;
  return Math.min(totalCost, ownCost + (ownCost + requestCost) * othersPerOwn);
}

export interface WaitBudgetQuestion {
  /** As `predictWaitMs` says; null: nobody can tell. */
  readonly predictedWaitMs: number | null;
  /** What the request can wait, ms; > 0, or Infinity. */
  readonly waitBudgetMs: number;
  /** The predicted wait of a request that is promoted, ms; null: nobody can tell. */
  readonly promotedWaitMs: number | null;
  /** Whether the budgets of promotions have room for it. */
  readonly mayPromote: boolean;
}

export type WaitBudgetDecision =
  | { readonly kind: 'admit' }
  | { readonly kind: 'promote' }
  /** `retryAfterMs` as in `OfferResult`: by then, if nobody else came, it could be dispatched in time. */
  | { readonly kind: 'refuse'; readonly retryAfterMs: number | null };

/**
 * Takes what can be served in time, what might be (no forecast is no reason to refuse), and, where promotions are allowed
 * and help, what can be served in time ahead of its turn; refuses the rest at once.
 */
export function decideWaitBudget(question: WaitBudgetQuestion): WaitBudgetDecision {
  const { predictedWaitMs, waitBudgetMs, promotedWaitMs, mayPromote } = question;
  if (predictedWaitMs === null || predictedWaitMs <= waitBudgetMs) return { kind: 'admit' };
  if (mayPromote && (promotedWaitMs === null || promotedWaitMs <= waitBudgetMs)) return { kind: 'promote' };
  // Without any slot the forecast is boundless, and nobody can tell when one returns.
  return { kind: 'refuse', retryAfterMs: Number.isFinite(predictedWaitMs) ? predictedWaitMs - waitBudgetMs : null };
}
