import { seededRandom } from '../kernel/index.ts';
import type { CompletionStatus } from '../model.ts';
import type { SimulatedRequest } from './simulated-request.ts';

export interface Refusal {
  readonly atMs: number;
  /** What the client was told; null: nothing. */
  readonly retryAfterMs: number | null;
}

/**
 * The next attempt of a refused request, with its arrival; null when its client gives up. Chance is drawn from the seed
 * and the request's name alone, so that the attempts of one do not depend on those of others.
 */
export function decideNextAttempt<R extends SimulatedRequest>(request: R, refusal: Refusal, seed: number): R | null {
  const plan = request.client?.retry ?? null;
  const attempt = request.attempt ?? 1;
  if (plan === null || attempt >= plan.maxAttempts) return null;
  const told = plan.honoursRetryAfter ? (refusal.retryAfterMs ?? 0) : 0;
  if (told === Number.POSITIVE_INFINITY) return null;
  const originalId = request.originalId ?? request.id;
  const id = `${originalId}~${attempt + 1}`;
  const delayMs = Math.max(plan.backoffMs * plan.backoffFactor ** (attempt - 1), told);
  const chance = plan.jitterRatio > 0 ? seededRandom(seed).fork(`retry ${id}`).next() : 0;
  const arrivedAtMs = refusal.atMs + delayMs * (1 + plan.jitterRatio * chance);
  return { ...request, id, arrivedAtMs, attempt: attempt + 1, originalId };
}

/** How a call that goes to a server at `dispatchedAtMs` will end. */
export function statusOfCall(request: SimulatedRequest, dispatchedAtMs: number): CompletionStatus {
  const failing = request.client?.failing ?? [];
  return failing.some(({ fromMs, toMs }) => fromMs <= dispatchedAtMs && dispatchedAtMs < toMs) ? 'error' : 'ok';
}
