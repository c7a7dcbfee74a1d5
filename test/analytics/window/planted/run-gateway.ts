import {
  drawRequests,
  type EndedRequest,
  EventLoop,
  type OpenRequest,
  parsePolicy,
  type RateSpan,
  rateInSpans,
  type SimulatedRequest,
  type SlotChange,
  type TenantLoad,
} from '../../../../scheduler-core/index.ts';
import { type BrokenGateway, runBrokenGateway } from './broken-gateway.ts';
import type { Terms } from './draw-terms.ts';
import { FROM_MS, MINUTE_MS } from './situation.ts';

/** What a tenant sends, as parts of the pool's capacity. */
export interface PlannedLoad {
  readonly tenant: string;
  readonly ratio: number;
  /** How many times longer its requests are than those of others; default 1. Its load stays what it is. */
  readonly longer?: number;
  /** Spans with a load of their own, ms from the start. */
  readonly spans?: readonly { readonly fromMs: number; readonly toMs: number; readonly ratio: number }[];
}

/** What a gateway did, up to a moment. */
export interface Recorded {
  readonly ended: readonly EndedRequest[];
  readonly open: readonly OpenRequest[];
  readonly untilMs: number;
}

/** No request comes later, ms from the start. */
export const arrivalsEndMs = (terms: Terms): number => (terms.windows - (terms.drains ? 1 : 0)) * MINUTE_MS;

export function planRequests(terms: Terms, loads: readonly PlannedLoad[], seed: number): SimulatedRequest[] {
  const rpsOf = (ratio: number): number => (ratio * terms.slots * 1000) / terms.meanServiceMs;
  const all = loads.map(({ tenant, ratio, longer = 1, spans = [] }): TenantLoad => {
    const rates = spans.map(
      (span): RateSpan => ({
        fromMs: FROM_MS + span.fromMs,
        toMs: FROM_MS + span.toMs,
        rateRps: rpsOf(span.ratio) / longer,
      }),
    );
    const service = { ...terms.service, perUnitMs: terms.service.perUnitMs * longer };
    return { tenant, service, arrivals: { kind: 'poisson', rate: rateInSpans(rpsOf(ratio) / longer, rates) } };
  });
  const toMs = FROM_MS + arrivalsEndMs(terms);
  return [...drawRequests({ loads: all, seed, fromMs: FROM_MS, toMs, idPrefix: `${seed}-` })];
}

export const endOf = (terms: Terms): number => FROM_MS + terms.windows * MINUTE_MS;

/** Runs the scheduler core. `policy`: what is said beside the unit, as a policy file says it. */
export function runCore(
  terms: Terms,
  requests: readonly SimulatedRequest[],
  policy: Readonly<Record<string, unknown>>,
  slotChanges: readonly SlotChange[] = [],
): Recorded {
  const untilMs = endOf(terms);
  const loop = new EventLoop({
    arrivals: requests,
    policy: parsePolicy({ name: 'planted', cost_unit: terms.costUnit, ...policy }),
    slots: terms.slots,
    slotChanges,
    nowMs: FROM_MS,
    seed: 1,
  });
  const ended: EndedRequest[] = [];
  loop.run(untilMs - 1, (each) => ended.push(each));
  return { ended, open: [...loop.openRequests()], untilMs };
}

export function runBroken(
  terms: Terms,
  requests: readonly SimulatedRequest[],
  fault: Partial<Pick<BrokenGateway, 'order' | 'skips' | 'rests'>>,
): Recorded {
  const untilMs = endOf(terms);
  const gateway: BrokenGateway = {
    slots: terms.slots,
    weights: new Map(Object.entries(terms.weights)),
    cost: terms.costUnit === 'requests' ? () => 1 : (request) => request.serviceMs,
    order: 'by_weight',
    skips: null,
    rests: null,
    ...fault,
  };
  return { ...runBrokenGateway(gateway, requests, untilMs - 1), untilMs };
}
