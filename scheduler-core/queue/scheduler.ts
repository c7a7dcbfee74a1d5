import { EvenshareError } from '../kernel/index.ts';
import type { Request } from '../model.ts';

/** Why a queue takes a request no further. */
export type QueueRefusal = 'queue_full';

/** `refused` is null when the request was taken into the queue. A refusal is a value, never an exception. */
export type OfferResult = { readonly refused: null } | { readonly refused: QueueRefusal };

export const ACCEPTED: OfferResult = { refused: null };
export const QUEUE_FULL: OfferResult = { refused: 'queue_full' };

/**
 * Who waits and who is next. Knows neither servers nor clocks: time comes in as `nowMs`, on one scale of the caller's
 * choice, and never goes back. The same calls in the same order give the same answers.
 */
export interface QueueDiscipline<R extends Request> {
  /** How many requests wait. */
  readonly size: number;
  /** Takes the request into the queue or says why not. A refused request leaves no trace. */
  offer(request: R, nowMs: number): OfferResult;
  /** Removes and returns the request to serve next; null exactly when nobody waits. */
  take(nowMs: number): R | null;
}

/** Throws `EVS_POLICY` unless the limit is an integer ≥ 1 or Infinity. */
export function requireLimit(name: string, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1)) return;
  throw new EvenshareError('EVS_POLICY', `${name} is ${limit}: give a whole number of at least 1`);
}
