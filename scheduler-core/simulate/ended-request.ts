import type { CompletionStatus, RefusalReason } from '../model.ts';
import type { SimulatedRequest } from './simulated-request.ts';

/** A request that went to a server and is done. */
export interface ServedRequest<R extends SimulatedRequest = SimulatedRequest> {
  readonly request: R;
  readonly outcome: 'served';
  readonly reason: null;
  /** Times in ms on the workload's scale, fractional; arrival ≤ dispatch ≤ end. */
  readonly dispatchedAtMs: number;
  readonly endedAtMs: number;
  /** What it took, in the unit of its estimate. */
  readonly cost: number;
  readonly status: CompletionStatus;
  readonly promoted: boolean;
}

/** A request that was refused: on arrival (`endedAtMs` is that) or after waiting. */
export interface RefusedRequest<R extends SimulatedRequest = SimulatedRequest> {
  readonly request: R;
  readonly outcome: 'rejected';
  readonly reason: RefusalReason;
  readonly dispatchedAtMs: null;
  readonly endedAtMs: number;
  readonly cost: number;
  readonly status: null;
  readonly promoted: false;
}

/** A request whose client left the queue. */
export interface GivenUpRequest<R extends SimulatedRequest = SimulatedRequest> {
  readonly request: R;
  readonly outcome: 'given_up';
  readonly reason: null;
  readonly dispatchedAtMs: null;
  readonly endedAtMs: number;
  readonly cost: number;
  readonly status: 'cancelled';
  readonly promoted: false;
}

/** A request of which nothing more is to come. */
export type EndedRequest<R extends SimulatedRequest = SimulatedRequest> =
  | ServedRequest<R>
  | RefusedRequest<R>
  | GivenUpRequest<R>;

export function served<R extends SimulatedRequest>(
  request: R,
  { dispatchedAtMs, endedAtMs, cost, status, promoted }: Omit<ServedRequest<R>, 'request' | 'outcome' | 'reason'>,
): ServedRequest<R> {
  // Written out, here and below, in one order: spreading an object made the whole loop four times slower.
  return { request, outcome: 'served', reason: null, dispatchedAtMs, endedAtMs, cost, status, promoted };
}

export function refused<R extends SimulatedRequest>(
  request: R,
  reason: RefusalReason,
  endedAtMs: number,
): RefusedRequest<R> {
  const cost = request.costEstimate ?? 1;
  return {
    request,
    outcome: 'rejected',
    reason,
    dispatchedAtMs: null,
    endedAtMs,
    cost,
    status: null,
    promoted: false,
  };
}

export function givenUp<R extends SimulatedRequest>(request: R, endedAtMs: number): GivenUpRequest<R> {
  const cost = request.costEstimate ?? 1;
  return {
    request,
    outcome: 'given_up',
    reason: null,
    dispatchedAtMs: null,
    endedAtMs,
    cost,
    status: 'cancelled',
    promoted: false,
  };
}
