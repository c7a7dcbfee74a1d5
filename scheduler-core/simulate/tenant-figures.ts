import type { Span } from './rate-profile.ts';
import type { RequestFate } from './request-fate.ts';
import { waitOf } from './wait-figures.ts';

/** Counts of one tenant, or of all. */
export class FateTally {
  arrived = 0;
  admitted = 0;
  completed = 0;
  completedCost = 0;
  quotaRefusedCost = 0;
  givenUp = 0;
  waitingAtEnd = 0;
  promotions = 0;
  served = 0;
  sojournSumMs = 0;
  maxSojournMs = 0;
  maxWaitMs: number | null = null;
  budgeted = 0;
  overBudget = 0;
  readonly rejected = new Map<string, { count: number; firstMs: number; lastMs: number }>();
  /** Of requests that arrived in the measured span. */
  readonly waitsMs: number[] = [];

  add(fate: RequestFate, measured: Span, endMs: number): void {
    const { kind, arrivedAtMs, endedAtMs } = fate;
    const waitMs = waitOf(fate, endMs);
    const isRejected = kind === 'refused' || kind === 'quota';
    if (measured.fromMs <= arrivedAtMs && arrivedAtMs < measured.toMs) {
      this.arrived++;
      if (!isRejected || (endedAtMs ?? arrivedAtMs) > arrivedAtMs) this.admitted++;
      if (waitMs !== null) this.waitsMs.push(waitMs);
      if (kind === 'quota') this.quotaRefusedCost += fate.cost;
    }
    if (waitMs !== null && (this.maxWaitMs === null || waitMs > this.maxWaitMs)) this.maxWaitMs = waitMs;
    if (fate.promoted) this.promotions++;
    this.#addBudget(fate, waitMs);
    if (kind === 'served' && endedAtMs !== null) this.#addServed(fate, endedAtMs, measured);
    else if (kind === 'given_up') this.givenUp++;
    else if (kind === 'waiting') this.waitingAtEnd++;
    else if (isRejected) this.#addRejected(fate.reason ?? 'other', endedAtMs ?? arrivedAtMs);
  }

  #addServed(fate: RequestFate, endedAtMs: number, measured: Span): void {
    this.served++;
    const sojournMs = endedAtMs - fate.arrivedAtMs;
    this.sojournSumMs += sojournMs;
    this.maxSojournMs = Math.max(this.maxSojournMs, sojournMs);
    if (measured.fromMs >= endedAtMs || endedAtMs > measured.toMs) return;
    this.completed++;
    this.completedCost += fate.cost;
  }

  #addRejected(reason: string, atMs: number): void {
    const known = this.rejected.get(reason);
    if (known === undefined) this.rejected.set(reason, { count: 1, firstMs: atMs, lastMs: atMs });
    else {
      known.count++;
      known.firstMs = Math.min(known.firstMs, atMs);
      known.lastMs = Math.max(known.lastMs, atMs);
    }
  }

  #addBudget({ waitBudgetMs, kind, reason }: RequestFate, waitMs: number | null): void {
    if (waitBudgetMs === null) return;
    this.budgeted++;
    const hasOutlived = waitMs !== null && waitMs > waitBudgetMs;
    if (hasOutlived || kind === 'given_up' || reason === 'wait_budget') this.overBudget++;
  }
}

type Refusals = FateTally['rejected'];

/** Counts by reason, in code-unit order. */
export function countsByReason(refusals: Refusals): Record<string, number> {
  return Object.fromEntries(sorted(refusals).map(([reason, { count }]) => [reason, count]));
}

/** When the first and the last refusal for each reason were, in code-unit order. */
export function spansByReason(refusals: Refusals): Record<string, { readonly first: number; readonly last: number }> {
  return Object.fromEntries(
    sorted(refusals).map(([reason, { firstMs, lastMs }]) => [reason, { first: firstMs, last: lastMs }]),
  );
}

function sorted(refusals: Refusals): [string, { count: number; firstMs: number; lastMs: number }][] {
  return [...refusals].sort(([left], [right]) => (left < right ? -1 : 1));
}
