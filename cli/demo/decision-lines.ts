import type { EndedRequest, SimulatedRequest } from '../../scheduler-core/index.ts';

/** What all events of the demo say of where they come from. */
export const DEMO_POOL = 'demo';
export const DEMO_GATEWAY = 'demo-gateway';
const DEMO_CLASS = 'interactive';

const TAIL = `,"slots":1,"gateway":"${DEMO_GATEWAY}"}\n`;

/**
 * Events of the simulated gateway as lines of NDJSON (docs/events.md), built by hand: an hour of history has half a
 * million. Simulated times have fractions of a ms; all are rounded down, which keeps them in order.
 */
function head(id: string, tenant: string, arrivedAtMs: number): string {
  return (
    `{"schema":"evenshare.decision.v1","request_id":${JSON.stringify(id)},"pool":"${DEMO_POOL}",` +
    `"tenant":${JSON.stringify(tenant)},"class":"${DEMO_CLASS}","arrived_at":${Math.floor(arrivedAtMs)}`
  );
}

/** All there is to say of a request that was served or refused, or whose client gave up. */
export function endedLine(ended: EndedRequest): string {
  const { request, endedAtMs } = ended;
  if (ended.outcome === 'given_up') return cancelledLine(request, endedAtMs);
  const known = head(request.id, request.tenant, request.arrivedAtMs);
  if (ended.outcome === 'rejected') return `${known},"outcome":"rejected","reason":"${ended.reason}"${TAIL}`;
  return (
    `${known},"outcome":"admitted","dispatched_at":${Math.floor(ended.dispatchedAtMs)},` +
    `"completed_at":${Math.floor(endedAtMs)},"status":"${ended.status}"${TAIL}`
  );
}

/** A request that was admitted and still waits. Its later line has the same identity and is merged with this one. */
export function waitingLine(request: SimulatedRequest): string {
  return `${head(request.id, request.tenant, request.arrivedAtMs)},"outcome":"admitted"${TAIL}`;
}

/** A request that was announced as waiting and will not be served any more, since the gateway stops. */
export function cancelledLine(request: SimulatedRequest, atMs: number): string {
  const known = head(request.id, request.tenant, request.arrivedAtMs);
  return `${known},"outcome":"admitted","completed_at":${Math.floor(atMs)},"status":"cancelled"${TAIL}`;
}

/** How many servers the pool has from `atMs` on. */
export function poolLine(atMs: number, slots: number): string {
  return `{"schema":"evenshare.pool.v1","pool":"${DEMO_POOL}","at":${Math.floor(atMs)},"slots":${slots}}\n`;
}
