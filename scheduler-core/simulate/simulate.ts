import { assertInvariant } from '../kernel/index.ts';
import type { Policy } from '../policy/policy.ts';
import { ControllerWatch } from './controller-watch.ts';
import type { EndedRequest } from './ended-request.ts';
import { EventLoop } from './event-loop.ts';
import { measure } from './measure.ts';
import type { Span } from './rate-profile.ts';
import { fateOfEnded, fateOfOpen, type RequestFate, type ShareUnit } from './request-fate.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import type { PolicyResult, SimulationResult } from './simulation-result.ts';
import type { SlotChange } from './slot-schedule.ts';
import type { SlotUsage } from './slot-usage.ts';

export interface SimulateOptions {
  /** Of all workers together; > 0. */
  readonly slots: number;
  /** Of the chances that policies and retrying clients take. Default 1. */
  readonly seed?: number;
  /** What the result is called. Default `simulation`. */
  readonly scenario?: string;
  /** The span of shares, rates and arrivals, not empty. Default: `run`. */
  readonly measured?: Span;
  /** The span of the utilization. Default: from the first arrival to just after the last. */
  readonly run?: Span;
  /** When schedulers and their controllers start; ≤ the first arrival. Default: the start of `run`. */
  readonly startMs?: number;
  /** The unit of shares, whatever the policies' own is. Default `requests`. */
  readonly costUnit?: ShareUnit;
  /** Entitlements. Default: the weights of each policy. */
  readonly weights?: ReadonlyMap<string, number>;
  readonly slotChanges?: readonly SlotChange[];
  readonly workers?: { readonly count: number; readonly stealing: boolean };
  readonly lightFactor?: number;
  /** Told of each request that ends, policy after policy. */
  readonly onEnded?: (ended: EndedRequest, policy: Policy) => void;
  /** How often to look at what controllers do, ms; > 0. Default: never. */
  readonly sampleEveryMs?: number;
}

/**
 * Simulates the requests under each policy, until all is drained. The same policies, requests, options and seed give the
 * same result, to the byte; a policy's figures do not depend on the others.
 *
 * @param requests in order of arrival, with distinct ids; read once.
 * @throws EVS_INVARIANT when they are not, or one needs more slots than there are; EVS_POLICY for a policy that could
 * serve nobody.
 */
export function simulate(
  policies: Policy | readonly Policy[],
  requests: Iterable<SimulatedRequest>,
  options: SimulateOptions,
): SimulationResult {
  const list = Array.isArray(requests) ? requests : Array.from(requests);
  const run = options.run ?? spanOf(list);
  const measured = options.measured ?? run;
  const settings = { ...options, run, measured, seed: options.seed ?? 1 };
  return {
    scenario: options.scenario ?? 'simulation',
    seed: settings.seed,
    requests: list.length,
    cost_unit: options.costUnit ?? 'requests',
    slots: options.slots,
    measured: { from_ms: measured.fromMs, to_ms: measured.toMs },
    run: { from_ms: run.fromMs, to_ms: run.toMs },
    policies: (isList(policies) ? policies : [policies]).map((policy) => simulateOne(policy, list, settings)),
  };
}

function isList(policies: Policy | readonly Policy[]): policies is readonly Policy[] {
  return Array.isArray(policies);
}

/** Of all arrivals; the last one lies within. */
function spanOf(requests: readonly SimulatedRequest[]): Span {
  const fromMs = requests[0]?.arrivedAtMs ?? 0;
  return { fromMs, toMs: Math.floor(requests.at(-1)?.arrivedAtMs ?? fromMs) + 1 };
}

interface Settings extends SimulateOptions {
  readonly run: Span;
  readonly measured: Span;
  readonly seed: number;
}

function simulateOne(policy: Policy, requests: readonly SimulatedRequest[], settings: Settings): PolicyResult {
  const { run, measured, seed, slots, slotChanges, workers, lightFactor, weights } = settings;
  const unit = settings.costUnit ?? 'requests';
  const firstMs = requests[0]?.arrivedAtMs ?? run.fromMs;
  const loop = new EventLoop({
    arrivals: requests,
    policy,
    slots,
    seed,
    nowMs: Math.min(settings.startMs ?? run.fromMs, firstMs),
    ...(slotChanges === undefined ? {} : { slotChanges }),
    ...(workers === undefined ? {} : { workers }),
    ...(lightFactor === undefined ? {} : { lightFactor }),
  });
  const watch = settings.sampleEveryMs === undefined ? null : new ControllerWatch(settings.sampleEveryMs);
  const fates: RequestFate[] = [];
  const onEnded = (ended: EndedRequest): void => {
    fates.push(fateOfEnded(ended, unit));
    settings.onEnded?.(ended, policy);
  };
  const goTo = (toMs: number): SlotUsage => {
    watch?.lookUntil(loop, toMs, onEnded);
    loop.run(toMs, onEnded);
    return loop.usage();
  };
  const bounds = [run.fromMs, run.toMs, measured.fromMs, measured.toMs];
  const usages = new Map<number, SlotUsage>();
  for (const atMs of bounds.sort((left, right) => left - right)) usages.set(atMs, goTo(atMs));
  goTo(Number.POSITIVE_INFINITY);
  for (const open of loop.openRequests()) fates.push(fateOfOpen(open, unit));
  const weightOf = (tenant: string): number =>
    weights?.get(tenant) ?? (policy.tenants.get(tenant) ?? policy.defaultTenant).weight;
  const result = measure(fates, {
    policy: policy.name,
    measured,
    endMs: loop.nowMs,
    slots,
    slotChanges: slotChanges ?? [],
    weightOf,
    utilizationRatio: ratio(usages, run, 'busySlotMs'),
    idleWhileWaitingRatio: ratio(usages, measured, 'idleWhileWaitingSlotMs'),
    unknownReason: 'no_samples',
    hasDispatches: true,
  });
  return watch === null ? result : { ...result, controllers: watch.result() };
}

/** Of the available slot-time in a span; null when there was none. */
function ratio(usages: ReadonlyMap<number, SlotUsage>, span: Span, part: keyof SlotUsage): number | null {
  const from = usages.get(span.fromMs);
  const to = usages.get(span.toMs);
  assertInvariant(from !== undefined && to !== undefined, 'the usage was read at the bounds of every span');
  const available = to.availableSlotMs - from.availableSlotMs;
  return available > 0 ? (to[part] - from[part]) / available : null;
}
