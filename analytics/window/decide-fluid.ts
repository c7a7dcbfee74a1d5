import { type FluidTerms, fluidService } from '../../scheduler-core/index.ts';
import type { DecidedWindow, PoolFacts } from './decide-windows.ts';
import { type FluidWindow, fluidWindow } from './fluid-window.ts';
import { capacityInWindow, GroupNumbers, mayChange, standingAt } from './pool-model.ts';
import type { NamedFluidWork } from './range-work.ts';
import { TenantNumbers } from './tenant-numbers.ts';

/** Steps of a second, or of the window where it is no multiple of one. */
export function fluidStepMs(windowMs: number): number {
  return windowMs % 1000 === 0 ? 1000 : windowMs;
}

export type { FluidTenant, FluidWindow } from './fluid-window.ts';

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
  const windowOf = new Map(range.windows.map((window) => [window.window, window]));
  const stepsPerSpan = Math.round(facts.windowMs / stepMs);
  const numbers = new TenantNumbers(named.tenants);
  const windows = new Map<number, FluidWindow>();
  const first = fromMs / facts.windowMs;
  const runs = fluidService({
    work: named.work.build(),
    backlog: byNumber(before.backlog, numbers),
    gpsBacklog: byNumber(before.gpsBacklog, numbers),
    graceRatio: Math.min(1, 1000 / stepMs),
    terms: termsOf(facts, range, { rates, windowOf, numbers, stepsPerSpan, first }),
    stepsPerSpan,
    isOccupied: (span) => (windowOf.get(first + span)?.tenants.length ?? 0) > 0,
    onSpan: (span) => {
      const decided = windowOf.get(first + span.span);
      if (decided === undefined) return;
      const workPerBusyMs = rates.workPerBusyMs[(span.span + 1) * stepsPerSpan - 1] ?? null;
      windows.set(decided.window, fluidWindow(span, { decided, numbers, stepMs, workPerBusyMs }));
    },
  });
  const beyondShare = runs.map((run) => ({
    tenant: named.tenants[run.tenant] ?? '',
    fromMs: fromMs + run.fromStep * stepMs,
    toMs: fromMs + run.toStep * stepMs,
  }));
  return { windows, beyondShare };
}

/** Figures by the number of a tenant; 0 for whom there is none. */
function byNumber(figures: ReadonlyMap<string, number>, numbers: TenantNumbers): Float64Array {
  const column = new Float64Array(numbers.size);
  for (const [tenant, figure] of figures) {
    const number = numbers.of(tenant);
    if (number !== -1) column[number] = figure;
  }
  return column;
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
  /** By the number of a window. */
  readonly windowOf: ReadonlyMap<number, DecidedWindow>;
  readonly numbers: TenantNumbers;
  readonly stepsPerSpan: number;
  readonly first: number;
}

/** Each second's own slots and weights; what a gateway recorded of a weight holds for its window. */
function termsOf(facts: PoolFacts, range: FluidRange, context: TermsContext): FluidTerms {
  const { fromMs, stepMs, named } = range;
  const { rates, windowOf, numbers, stepsPerSpan, first } = context;
  const windowAt = (step: number) => windowOf.get(first + Math.floor(step / stepsPerSpan));
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
      const ofWindow = windowAt(step)?.capacity.cost ?? null;
      return ofWindow === null ? null : ofWindow / stepsPerSpan;
    },
    entitlements: (step) => {
      const startMs = fromMs + step * stepMs;
      const startsWindow = step % stepsPerSpan === 0;
      if (step > 0 && !startsWindow && !mayChange(facts.entitlements, startMs - stepMs, startMs)) return null;
      const recorded = new Float64Array(numbers.size).fill(Number.NaN);
      for (const { tenant, arrivals } of windowAt(step)?.tenants ?? []) {
        if (arrivals?.firstWeight == null) continue;
        const number = numbers.of(tenant);
        if (number !== -1) recorded[number] = arrivals.firstWeight;
      }
      const weights = new Float64Array(numbers.size);
      const groups = new GroupNumbers();
      for (const [number, tenant] of named.tenants.entries()) {
        const first = recorded[number] ?? Number.NaN;
        const standing = standingAt(facts.entitlements, tenant, startMs, Number.isNaN(first) ? null : first);
        weights[number] = standing.weight;
        groups.add(standing);
      }
      return { weights, groups: groups.groups() };
    },
  };
}
