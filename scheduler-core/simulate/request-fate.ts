import { assertNever } from '../kernel/index.ts';
import type { EndedRequest } from './ended-request.ts';
import type { OpenRequest } from './event-loop-options.ts';
import type { SimulatedRequest } from './simulated-request.ts';

/** The unit in which shares are counted. */
export type ShareUnit = 'requests' | 'service_ms' | 'tokens';

/**
 * What became of a request, as the definitions of fairness see it. `refused`: for want of room, on arrival or after
 * waiting; `quota`: by its tenant's own quota, which is no demand; `waiting` and `in_service`: open at the end.
 */
export type FateKind = 'served' | 'in_service' | 'waiting' | 'refused' | 'quota' | 'given_up';

export interface RequestFate {
  readonly tenant: string;
  readonly kind: FateKind;
  /** Why it was refused; null when it was not. */
  readonly reason: string | null;
  readonly arrivedAtMs: number;
  /** Null: it was never served, or nobody recorded when. */
  readonly dispatchedAtMs: number | null;
  /** Of the service, the refusal or the giving up; null: open. */
  readonly endedAtMs: number | null;
  /** Slots that it holds while served. */
  readonly slots: number;
  /** In the unit of the shares. */
  readonly cost: number;
  readonly promoted: boolean;
  /** Names the request of which this is a further attempt, or which has further attempts; null: there is but one. */
  readonly originalId: string | null;
  /** How long it could wait, ms; null: not known. */
  readonly waitBudgetMs: number | null;
  /** The times of arrival and dispatch do not tell how long it waited. Default: they do. */
  readonly isWaitUnknown?: boolean;
}

export function fateOfEnded(ended: EndedRequest, unit: ShareUnit): RequestFate {
  const { request } = ended;
  return {
    tenant: request.tenant,
    kind: kindOf(ended),
    reason: ended.reason,
    arrivedAtMs: request.arrivedAtMs,
    dispatchedAtMs: ended.dispatchedAtMs,
    endedAtMs: ended.endedAtMs,
    slots: request.slots ?? 1,
    cost: request.shareCost ?? endedCost(ended, unit),
    promoted: ended.promoted,
    originalId: originalOf(request),
    waitBudgetMs: request.waitBudgetMs ?? null,
  };
}

export function fateOfOpen({ request, dispatchedAtMs }: OpenRequest, unit: ShareUnit): RequestFate {
  return {
    tenant: request.tenant,
    kind: dispatchedAtMs === null ? 'waiting' : 'in_service',
    reason: null,
    arrivedAtMs: request.arrivedAtMs,
    dispatchedAtMs,
    endedAtMs: null,
    slots: request.slots ?? 1,
    cost: request.shareCost ?? costOf(request, request.actualCost ?? request.costEstimate ?? 1, unit),
    promoted: false,
    originalId: originalOf(request),
    waitBudgetMs: request.waitBudgetMs ?? null,
  };
}

/** Whether a tenant's own contract, not want of room, is what a refusal is for. */
export function isQuotaReason(reason: string | null): boolean {
  return reason === 'quota' || reason === 'cost_above_burst';
}

function kindOf(ended: EndedRequest): FateKind {
  switch (ended.outcome) {
    case 'served':
      return 'served';
    case 'given_up':
      return 'given_up';
    case 'rejected':
      return isQuotaReason(ended.reason) ? 'quota' : 'refused';
    default:
      return assertNever(ended);
  }
}

function endedCost(ended: EndedRequest, unit: ShareUnit): number {
  const { request, dispatchedAtMs, endedAtMs } = ended;
  if (unit !== 'service_ms' || dispatchedAtMs === null) return costOf(request, ended.cost, unit);
  return (request.slots ?? 1) * (endedAtMs - dispatchedAtMs);
}

function costOf(request: SimulatedRequest, cost: number, unit: ShareUnit): number {
  if (unit === 'requests') return 1;
  return unit === 'tokens' ? cost : (request.slots ?? 1) * request.serviceMs;
}

/** A first attempt that may be followed by others goes by its own id. */
function originalOf(request: SimulatedRequest): string | null {
  if (request.originalId !== undefined) return request.originalId;
  return (request.client?.retry ?? null) === null ? null : request.id;
}
