import {
  type FluidTerms,
  fluidService,
  type Groups,
  jainIndex,
  minNormalizedShare,
} from '../../scheduler-core/index.ts';
import type { NamedFluidWork } from '../queries/fluid-work.ts';
import type { DecidedWindow, PoolFacts } from './decide-windows.ts';
import { capacityInWindow, groupsOf, mayChange, standingAt } from './pool-model.ts';

/** Steps of a second, or of the window where it is no multiple of one. */
export function fluidStepMs(windowMs: number): number {
  return windowMs % 1000 === 0 ? 1000 : windowMs;
}

/** A tenant's figures of one window in the fluid model, in the pool's cost unit. */
export interface FluidTenant {
  /** Ideal service: `Σ f_i` over the steps. */
  readonly ideal: number;
  /** What it was served, of all attempts. */
  readonly served: number;
  /** The largest lag at the end of a step. */
  readonly maxLag: number;
  /** By how much longer a unit of its work waited than in a fair system, on average, ms; null without ideal service. */
  readonly excessWaitMs: number | null;
  /** `q_i` at the window's end. */
  readonly backlog: number;
  /** What verdicts go by: see `GpsSpan`. */
  readonly gps: {
    readonly served: number;
    readonly refused: number;
    readonly lagBefore: number;
    readonly maxLag: number;
    readonly backlog: number;
  };
}

const NO_FLUID: FluidTenant = {
  ideal: 0,
  served: 0,
  maxLag: 0,
  excessWaitMs: null,
  backlog: 0,
  gps: { served: 0, refused: 0, lagBefore: 0, maxLag: 0, backlog: 0 },
};

/** One window in the fluid model. */
export interface FluidWindow {
  readonly of: (tenant: string) => FluidTenant;
  readonly jainIndex: number | null;
  readonly minNormalizedShare: { readonly value: number; readonly tenant: string } | null;
  readonly maxLag: { readonly value: number; readonly tenant: string } | null;
  /** Demand exceeded the capacity in some step. */
  readonly contended: boolean;
  /** Work per busy slot-ms of the nearest second with service up to the window's end. */
  readonly workPerBusyMs: number | null;
}

/** What a tenant sent in `[fromMs, toMs)` was beyond its share. */
export interface BeyondShare {
  readonly tenant: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the fluid model hands from range to range. */
export interface FluidState {
  readonly backlog: ReadonlyMap<string, number>;
  readonly gpsBacklog: ReadonlyMap<string, number>;
  readonly workPerBusyMs: number | null;
}

export interface FluidRange {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly windows: readonly DecidedWindow[];
  readonly named: NamedFluidWork;
}

/** The recursion of fair service in steps of a second over the windows of a range (docs/definitions.md, "Inside the minute"). */
export function decideFluid(
  facts: PoolFacts,
  range: FluidRange,
  before: FluidState,
): { readonly windows: ReadonlyMap<number, FluidWindow>; readonly beyondShare: readonly BeyondShare[] } {
  const { named, fromMs, stepMs } = range;
  const rates = stepRates(range, before.workPerBusyMs);
  const byNumber = new Map(range.windows.map((window) => [window.window, window]));
  const stepsPerSpan = Math.round(facts.windowMs / stepMs);
  const number = new Map(named.tenants.map((tenant, index) => [tenant, index]));
  const windows = new Map<number, FluidWindow>();
  const first = fromMs / facts.windowMs;
  const runs = fluidService({
    work: named.work.build(),
    backlog: Float64Array.from(named.tenants, (tenant) => before.backlog.get(tenant) ?? 0),
    gpsBacklog: Float64Array.from(named.tenants, (tenant) => before.gpsBacklog.get(tenant) ?? 0),
    graceRatio: Math.min(1, 1000 / stepMs),
    terms: termsOf(facts, range, { rates, byNumber, stepsPerSpan, first }),
    stepsPerSpan,
    onSpan: (span) => {
      const decided = byNumber.get(first + span.span);
      if (decided === undefined) return;
      const figures = new Map<number, FluidTenant>();
      for (const tenant of span.touched) {
        const ideal = span.ideal[tenant] ?? 0;
        figures.set(tenant, {
          ideal,
          served: span.served[tenant] ?? 0,
          maxLag: span.maxLag[tenant] ?? 0,
          excessWaitMs: ideal > 0 ? ((span.lagSum[tenant] ?? 0) * stepMs) / ideal : null,
          backlog: span.backlog[tenant] ?? 0,
          gps: {
            served: span.gps.served[tenant] ?? 0,
            refused: span.gps.refused[tenant] ?? 0,
            lagBefore: span.gps.lagBefore[tenant] ?? 0,
            maxLag: span.gps.maxLag[tenant] ?? 0,
            backlog: span.gps.backlog[tenant] ?? 0,
          },
        });
      }
      const of = (tenant: string): FluidTenant => figures.get(number.get(tenant) ?? -1) ?? NO_FLUID;
      windows.set(decided.window, {
        of,
        ...indexes(decided, of),
        contended: span.contended,
        workPerBusyMs: rates.workPerBusyMs[(span.span + 1) * stepsPerSpan - 1] ?? null,
      });
    },
  });
  const beyondShare = runs.map((run) => ({
    tenant: named.tenants[run.tenant] ?? '',
    fromMs: fromMs + run.fromStep * stepMs,
    toMs: fromMs + run.toStep * stepMs,
  }));
  return { windows, beyondShare };
}

interface StepRates {
  /** Slot-time in service per step, slot-ms. */
  readonly busyMs: readonly number[];
  /** Work per busy slot-ms, of the nearest earlier step where nothing was in service; null before the first. */
  readonly workPerBusyMs: readonly (number | null)[];
}

function stepRates({ named }: FluidRange, before: number | null): StepRates {
  const { served, busyMs } = named.work.poolSteps();
  let rate = before;
  const workPerBusyMs = busyMs.map((slotMs, step) => {
    if (slotMs > 0) rate = (served[step] ?? 0) / slotMs;
    return rate;
  });
  return { busyMs, workPerBusyMs };
}

interface TermsContext {
  readonly rates: StepRates;
  readonly byNumber: ReadonlyMap<number, DecidedWindow>;
  readonly stepsPerSpan: number;
  readonly first: number;
}

/** Each second's own slots and weights; what a gateway recorded of a weight holds for its window. */
function termsOf(facts: PoolFacts, range: FluidRange, context: TermsContext): FluidTerms {
  const { fromMs, stepMs, named } = range;
  const { rates, byNumber, stepsPerSpan, first } = context;
  const windowOf = (step: number) => byNumber.get(first + Math.floor(step / stepsPerSpan));
  return {
    capacity: (step) => {
      const startMs = fromMs + step * stepMs;
      const declared = capacityInWindow(facts.capacity, startMs, startMs + stepMs);
      if (declared.perS !== null) return (declared.perS * stepMs) / 1000;
      const rate = rates.workPerBusyMs[step] ?? null;
      if (declared.slots !== null && rate !== null) {
        return Math.max(declared.slots * stepMs, rates.busyMs[step] ?? 0) * rate;
      }
      // Inferred, or before anything was ever in service: an even part of the window's.
      const ofWindow = windowOf(step)?.capacity.cost ?? null;
      return ofWindow === null ? null : ofWindow / stepsPerSpan;
    },
    entitlements: (step) => {
      const startMs = fromMs + step * stepMs;
      const startsWindow = step % stepsPerSpan === 0;
      if (step > 0 && !startsWindow && !mayChange(facts.entitlements, startMs - stepMs, startMs)) return null;
      const recorded = new Map<string, number>();
      for (const { tenant, arrivals } of windowOf(step)?.tenants ?? []) {
        if (arrivals?.firstWeight != null) recorded.set(tenant, arrivals.firstWeight);
      }
      const standing = named.tenants.map((tenant) =>
        standingAt(facts.entitlements, tenant, startMs, recorded.get(tenant) ?? null),
      );
      const groups: Groups | null = groupsOf(standing);
      return { weights: standing.map(({ weight }) => weight), groups };
    },
  };
}

function indexes(decided: DecidedWindow, of: (tenant: string) => FluidTenant) {
  const served = decided.tenants.map((entry) => of(entry.tenant).served);
  const ideals = decided.tenants.map((entry) => of(entry.tenant).ideal);
  const normalized = ideals.flatMap((ideal, index) => (ideal > 0 ? [(served[index] ?? 0) / ideal] : []));
  const least = minNormalizedShare(served, ideals);
  const leastTenant = least === null ? undefined : decided.tenants[least.index]?.tenant;
  let maxLag: { value: number; tenant: string } | null = null;
  for (const { tenant } of decided.tenants) {
    const lag = of(tenant).maxLag;
    if (lag > (maxLag?.value ?? 0)) maxLag = { value: lag, tenant };
  }
  return {
    jainIndex: jainIndex(normalized),
    minNormalizedShare:
      least === null || leastTenant === undefined ? null : { value: least.value, tenant: leastTenant },
    maxLag,
  };
}
