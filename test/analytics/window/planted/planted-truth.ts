import type { SimulatedRequest } from '../../../../scheduler-core/index.ts';
import { guaranteedRatio, type Terms } from './draw-terms.ts';
import type { Recorded } from './run-gateway.ts';
import { FROM_MS, MINUTE_MS } from './situation.ts';

const SECOND_MS = 1000;

/**
 * The windows in which one of the victims, none of which ever asks for its guaranteed part, waits beyond doubt: twice what
 * a scheduling decision (a request in every slot, one of its own, a turn as long as its weight allows) and the tolerance of
 * 3% excuse, for two seconds or more, or is refused as much.
 */
export function wrongedWindows(terms: Terms, recorded: Recorded, victims: ReadonlySet<string>): number[] {
  const seconds = (terms.windows * MINUTE_MS) / SECOND_MS;
  const costOf = (request: SimulatedRequest): number => (terms.costUnit === 'requests' ? 1 : request.serviceMs);
  const late = new Map([...victims].map((tenant) => [tenant, new Float64Array(seconds + 1)]));
  const asked = new Map([...victims].map((tenant) => [tenant, new Float64Array(terms.windows)]));
  let largest = 0;
  const note = (request: SimulatedRequest, startedMs: number): void => {
    const cost = costOf(request);
    if (startedMs < recorded.untilMs) largest = Math.max(largest, cost);
    const of = late.get(request.tenant);
    if (of === undefined) return;
    const arrivedMs = request.arrivedAtMs - FROM_MS;
    const window = Math.floor(arrivedMs / MINUTE_MS);
    const windows = asked.get(request.tenant);
    if (windows !== undefined) windows[window] = (windows[window] ?? 0) + cost;
    for (let second = Math.ceil(arrivedMs / SECOND_MS); second <= seconds; second++) {
      if (FROM_MS + second * SECOND_MS > startedMs) break;
      const due = Math.min(1, (second * SECOND_MS - arrivedMs) / request.serviceMs);
      of[second] = (of[second] ?? 0) + cost * due;
    }
  };
  const refused = new Map([...victims].map((tenant) => [tenant, new Float64Array(terms.windows)]));
  const refuse = (request: SimulatedRequest): void => {
    const window = Math.floor((request.arrivedAtMs - FROM_MS) / MINUTE_MS);
    const windows = refused.get(request.tenant);
    if (windows !== undefined) windows[window] = (windows[window] ?? 0) + costOf(request);
  };
  for (const each of recorded.ended) {
    if (each.outcome === 'served') note(each.request, each.dispatchedAtMs);
    else refuse(each.request);
  }
  for (const { request, dispatchedAtMs } of recorded.open) note(request, dispatchedAtMs ?? Number.POSITIVE_INFINITY);
  const found: number[] = [];
  for (let window = 0; window < terms.windows; window++) {
    const wronged = [...late].some(([tenant, of]) => {
      // Ideal service of a window is no more than what came in it and in the one before.
      const windows = asked.get(tenant);
      const ideal = (windows?.[window] ?? 0) + (windows?.[window - 1] ?? 0);
      const turns = terms.slots + 1 + 2 * guaranteedRatio(terms, tenant) * terms.tenants.length;
      const least = 2 * Math.max(0.03 * ideal, turns * largest);
      if ((refused.get(tenant)?.[window] ?? 0) > least) return true;
      let inARow = 0;
      for (let second = window * 60 + 1; second <= window * 60 + 60; second++) {
        inARow = (of[second] ?? 0) > least ? inARow + 1 : 0;
        if (inARow === 3) return true;
      }
      return false;
    });
    if (wronged) found.push(window);
  }
  return found;
}
