import { assertInvariant, EvenshareError } from '../kernel/index.ts';
import type { Policy } from '../policy/policy.ts';
import { measure } from '../simulate/measure.ts';
import type { Span } from '../simulate/rate-profile.ts';
import { isQuotaReason, type RequestFate, type ShareUnit } from '../simulate/request-fate.ts';
import { simulate } from '../simulate/simulate.ts';
import type { SimulatedRequest } from '../simulate/simulated-request.ts';
import type { PolicyResult } from '../simulate/simulation-result.ts';
import { decideFidelity } from './decide-fidelity.ts';
import { policyCost, shareCosts } from './recorded-cost.ts';
import { kindOfRecorded, type RecordedRequest } from './recorded-request.ts';
import { recordedUsage } from './recorded-usage.ts';
import type { ReplayResult } from './replay-result.ts';
import { type ServiceTimes, serviceTimes } from './service-times.ts';

/** What the record itself is called among the policies. */
export const AS_RECORDED = 'as recorded';

export interface ReplayOptions {
  readonly pool: string;
  /** What the result is called; default the pool. */
  readonly name?: string;
  readonly slots: number;
  /** The unit of shares and of the log's costs. */
  readonly costUnit: ShareUnit;
  readonly seed?: number;
  /** The span of shares, rates and waits; default the whole record. */
  readonly measured?: Span;
  /** The policy that the log was made under; null: not known. */
  readonly recordedUnder: Policy | null;
  /** Entitlements; default those of each policy, and of `recordedUnder` for the record. */
  readonly weights?: ReadonlyMap<string, number>;
}

/**
 * Recorded arrivals and service times under any number of policies, beside what was recorded. Pure and deterministic.
 * Clients that gave up in the record have that much patience; what was refused then may be served now, and takes as long
 * as some other request of its tenant did.
 *
 * @param requests in any order, at least one.
 * @throws EVS_USAGE for an empty log, one without service times, and a request that needs more slots than there are.
 */
export function replay(
  requests: readonly RecordedRequest[],
  policies: readonly Policy[],
  options: ReplayOptions,
): ReplayResult {
  const log = inOrder(requests);
  checkSlots(log, options.slots);
  const times = serviceTimes(log, options.seed ?? 1);
  const costs = shareCosts(log, times.serviceMs, options.costUnit);
  const span = spanOf(log);
  const setting: Setting = { log, times, costs, span, options, measured: options.measured ?? span };
  const { recordedUnder } = options;
  const fates = log.map((request, index) =>
    recordedFate(request, costs[index] ?? 1, endOfRecorded(request, times.serviceMs[index] ?? 0, span.toMs)),
  );
  const asRecorded = measureRecorded(fates, setting);
  const isExtra = recordedUnder !== null && !policies.includes(recordedUnder);
  const replayedWaitsMs: number[] = [];
  const results = [...policies, ...(isExtra ? [recordedUnder] : [])].map((policy) =>
    replayOne(policy, setting, policy === recordedUnder ? (waitMs) => replayedWaitsMs.push(waitMs) : null),
  );
  const underRecorded =
    recordedUnder === null ? null : results[isExtra ? policies.length : policies.indexOf(recordedUnder)];
  return {
    scenario: options.name ?? options.pool,
    pool: options.pool,
    seed: options.seed ?? 1,
    requests: log.length,
    cost_unit: options.costUnit,
    slots: options.slots,
    measured: { from_ms: setting.measured.fromMs, to_ms: setting.measured.toMs },
    run: { from_ms: span.fromMs, to_ms: span.toMs },
    service_times: times.basis,
    recorded_most_slots: recordedUsage(fates, { slots: options.slots, span, endMs: span.toMs }).mostBusySlots,
    policies: [asRecorded, ...results.slice(0, policies.length)],
    ...decideFidelity({
      fates,
      slotMs: log.map((request, index) => request.slots * (times.serviceMs[index] ?? 0)),
      slots: options.slots,
      span,
      asRecorded,
      underRecorded: underRecorded ?? null,
      replayedWaitsMs,
    }),
  };
}

/** What a request of the log costs on average, in a unit: a quantum that fits it. Throws as `replay` does. */
export function meanCost(requests: readonly RecordedRequest[], unit: ShareUnit): number {
  const costs = shareCosts(requests, serviceTimes(requests, 1).serviceMs, unit);
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

interface Setting {
  /** In order of arrival. */
  readonly log: readonly RecordedRequest[];
  readonly times: ServiceTimes;
  readonly costs: readonly number[];
  readonly span: Span;
  readonly measured: Span;
  readonly options: ReplayOptions;
}

/** Requests of one instant stay in the order of the log. */
function inOrder(requests: readonly RecordedRequest[]): RecordedRequest[] {
  if (requests.length === 0) throw new EvenshareError('EVS_USAGE', 'the log holds no requests: nothing to replay');
  return [...requests].sort((left, right) => left.arrivedAtMs - right.arrivedAtMs);
}

function checkSlots(log: readonly RecordedRequest[], slots: number): void {
  let widest = 0;
  for (const request of log) widest = Math.max(widest, request.slots);
  if (widest <= slots) return;
  throw new EvenshareError(
    'EVS_USAGE',
    `a request of the log holds ${widest} slots at once, of ${slots}: give --slots ${widest} or more`,
  );
}

/** From the first arrival to just after the last thing that is recorded. */
function spanOf(log: readonly RecordedRequest[]): Span {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { arrivedAtMs, dispatchedAtMs, completedAtMs } of log) {
    lastMs = Math.max(lastMs, arrivedAtMs, dispatchedAtMs ?? arrivedAtMs, completedAtMs ?? arrivedAtMs);
  }
  const fromMs = log[0]?.arrivedAtMs ?? 0;
  return { fromMs, toMs: Math.max(lastMs, fromMs + 1) };
}

const FATES = {
  served: 'served',
  unknown_wait: 'served',
  in_service: 'in_service',
  waiting: 'waiting',
  given_up: 'given_up',
} as const;

/**
 * When it ended; null: it was open. A service of which nobody noted the end takes as long as others of its tenant do, and at
 * most until the end of the record: else one lost event would hold its slots for ever.
 */
function endOfRecorded(request: RecordedRequest, serviceMs: number, recordEndMs: number): number | null {
  const { arrivedAtMs, dispatchedAtMs, completedAtMs, rejectedFor } = request;
  if (rejectedFor !== null) return completedAtMs ?? arrivedAtMs;
  if (completedAtMs !== null || dispatchedAtMs === null) return completedAtMs;
  return Math.max(dispatchedAtMs, Math.min(dispatchedAtMs + serviceMs, recordEndMs));
}

function recordedFate(request: RecordedRequest, cost: number, endedAtMs: number | null): RequestFate {
  const { rejectedFor, arrivedAtMs, dispatchedAtMs } = request;
  const kind = kindOfRecorded(request);
  // Clocks that disagree put a dispatch before the arrival: the work counts from the arrival on.
  const startedAtMs = dispatchedAtMs === null ? null : Math.max(dispatchedAtMs, arrivedAtMs);
  return {
    tenant: request.tenant,
    kind: kind === 'rejected' ? (isQuotaReason(rejectedFor) ? 'quota' : 'refused') : FATES[kind],
    reason: rejectedFor,
    arrivedAtMs,
    dispatchedAtMs: startedAtMs,
    endedAtMs,
    slots: request.slots,
    cost,
    promoted: request.promoted,
    originalId: request.originalId,
    waitBudgetMs: request.waitBudgetMs,
    isWaitUnknown: !request.isWaitKnown,
  };
}

function measureRecorded(fates: readonly RequestFate[], { options, span, measured }: Setting): PolicyResult {
  const { slots, weights, recordedUnder } = options;
  const hasDispatches = fates.some(({ dispatchedAtMs }) => dispatchedAtMs !== null);
  const usageIn = (within: Span) => recordedUsage(fates, { slots, span: within, endMs: span.toMs });
  return measure(fates, {
    policy: AS_RECORDED,
    measured,
    endMs: span.toMs,
    slots,
    slotChanges: [],
    weightOf: (tenant) =>
      weights?.get(tenant) ?? (recordedUnder?.tenants.get(tenant) ?? recordedUnder?.defaultTenant)?.weight ?? 1,
    utilizationRatio: hasDispatches ? usageIn(span).utilizationRatio : null,
    idleWhileWaitingRatio: hasDispatches ? usageIn(measured).idleWhileWaitingRatio : null,
    unknownReason: 'no_waits',
    hasDispatches,
  });
}

function replayOne(policy: Policy, setting: Setting, onWait: ((waitMs: number) => void) | null): PolicyResult {
  const { options, span, measured } = setting;
  const { policies } = simulate(policy, requestsFor(policy, setting), {
    slots: options.slots,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    run: span,
    measured,
    costUnit: options.costUnit,
    ...(options.weights === undefined ? {} : { weights: options.weights }),
    onEnded: ({ request, dispatchedAtMs }) => {
      if (dispatchedAtMs !== null) onWait?.(dispatchedAtMs - request.arrivedAtMs);
    },
  });
  const [result] = policies;
  assertInvariant(result !== undefined, 'one policy has one result');
  return result;
}

/** The requests of the log as a simulation under the policy takes them. */
function requestsFor(policy: Policy, { log, times, costs, options }: Setting): SimulatedRequest[] {
  return log.map((request, index) => {
    const serviceMs = times.serviceMs[index] ?? 0;
    const { estimated, actual } = policyCost(request, serviceMs, { policy, logUnit: options.costUnit });
    const patienceMs =
      kindOfRecorded(request) === 'given_up' ? (request.completedAtMs ?? 0) - request.arrivedAtMs : null;
    return {
      id: request.id,
      tenant: request.tenant,
      arrivedAtMs: request.arrivedAtMs,
      costEstimate: estimated,
      slots: request.slots,
      serviceMs,
      actualCost: actual,
      shareCost: costs[index] ?? 1,
      ...(request.class === null ? {} : { class: request.class }),
      ...(request.waitBudgetMs === null || request.waitBudgetMs <= 0 ? {} : { waitBudgetMs: request.waitBudgetMs }),
      ...(request.originalId === null ? {} : { originalId: request.originalId }),
      ...(patienceMs === null || patienceMs <= 0
        ? {}
        : { client: { givesUpAfterMs: patienceMs, retry: null, failing: [] } }),
    };
  });
}
