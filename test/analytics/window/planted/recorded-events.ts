import type { DecisionEvent } from '../../../../ingest/event/decision-event.ts';
import type { EndedRequest, OpenRequest, SimulatedRequest } from '../../../../scheduler-core/index.ts';
import { event } from '../../../support/temporary-store.ts';

const QUOTA = new Set(['quota', 'cost_above_burst']);

/** What a gateway writes down of a request that ended: whole ms. */
export function endedEvent(ended: EndedRequest, estimates: boolean): DecisionEvent {
  const base = arrived(ended.request, estimates);
  const completedAtMs = Math.floor(ended.endedAtMs);
  switch (ended.outcome) {
    case 'served':
      return event({ ...base, dispatchedAtMs: Math.floor(ended.dispatchedAtMs), completedAtMs, status: 'ok' });
    case 'rejected': {
      const reason = QUOTA.has(ended.reason) ? 'quota' : 'queue_full';
      return event({ ...base, outcome: 'rejected', reason, completedAtMs });
    }
    case 'given_up':
      return event({ ...base, completedAtMs, status: 'cancelled' });
  }
}

/** And of one that is open. */
export function openEvent({ request, dispatchedAtMs }: OpenRequest, estimates: boolean): DecisionEvent {
  const base = arrived(request, estimates);
  return event({ ...base, dispatchedAtMs: dispatchedAtMs === null ? null : Math.floor(dispatchedAtMs) });
}

function arrived(request: SimulatedRequest, estimates: boolean) {
  return {
    requestId: request.id,
    tenant: request.tenant,
    arrivedAtMs: Math.floor(request.arrivedAtMs),
    costEstimate: estimates ? request.serviceMs : null,
  };
}
