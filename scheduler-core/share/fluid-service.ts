import { type FluidSpan, SpanFigures } from './fluid-span.ts';
import type { FluidWork } from './fluid-work.ts';
import type { Groups } from './grouped-max-min.ts';
import { StepFilling } from './step-filling.ts';
import { StepWork } from './step-work.ts';
import type { FillingColumns } from './water-filling.ts';

/** What holds in a step. */
export interface FluidTerms {
  /** `C` of a step in the pool's cost unit; null when it cannot be known: then every demand is granted. */
  capacity(step: number): number | null;
  /** Weights by tenant, and groups, from a step on: null where nothing changed since the step before. Never null for step 0. */
  entitlements(step: number): { readonly weights: ArrayLike<number>; readonly groups: Groups | null } | null;
}

/** Steps `[fromStep, toStep)` at the ends of which a tenant had ideal backlog: what arrived in them was beyond its share. */
export interface BacklogRun {
  readonly tenant: number;
  readonly fromStep: number;
  readonly toStep: number;
}

export interface FluidInput {
  readonly work: FluidWork;
  /** `q_i` before the first step, per tenant. */
  readonly backlog: Float64Array;
  /** `q̂_i` before the first step, per tenant. */
  readonly gpsBacklog: Float64Array;
  /** Which part of a step's ideal service may still be due at its end: 1 for steps of a second. */
  readonly graceRatio: number;
  readonly terms: FluidTerms;
  /** `steps` is a multiple of it. */
  readonly stepsPerSpan: number;
  /** Whether anybody is present in a span; one without anybody ends all that is owed. Absent: in each. */
  readonly isOccupied?: (span: number) => boolean;
  readonly onSpan: (span: FluidSpan) => void;
}

/** Relative slack of comparisons, as in `fairStep`. */
const SLACK = 1e-9;

/**
 * The recursion of fair service (see `fairStep`) in many small steps over sparse work: a step costs as much as there are
 * tenants with work, backlog or lag in it. In share means an ideal backlog of 0 at the step's end, rounding aside.
 *
 * Beside it runs the same filling with a backlog `q̂_i ← max(0, oA_i + q̂_i − f̂_i)` that is not cut to the late work. The cut
 * forgets what a tenant was ahead, and with it that others had to wait for it: under a scheduler that is fair in the long
 * run their lag would grow without end. The two part only where some tenant is ahead.
 * The bits do not depend on where a range begins, given what the steps before it left. Pure but for `onSpan`.
 *
 * @returns runs of ideal backlog, by tenant within a moment of their end. Source: THEORY.md, "Fair service".
 */
export function fluidService(input: FluidInput): BacklogRun[] {
  const recursion = new Recursion(input);
  for (let step = 0; step < input.work.steps; step++) recursion.take(step);
  return recursion.finish();
}

/** One way to share, step after step: what it still owes by tenant, and the step at hand by place. */
interface Sharing {
  readonly backlog: Float64Array;
  /** What admitted requests are due: offered now, or owed. */
  readonly due: Float64Array;
  readonly columns: FillingColumns;
}

/** What is left of a demand, rounding aside. */
function leftOver(left: number, demand: number): number {
  return left > SLACK * demand ? left : 0;
}

class Recursion {
  readonly #input: FluidInput;
  readonly #work: StepWork;
  readonly #cut: Sharing;
  readonly #uncut: Sharing;
  readonly #figures: SpanFigures;
  readonly #filling: StepFilling;
  readonly #runFrom: Int32Array;
  readonly #runs: BacklogRun[] = [];
  /** Tenants with work at a rate, backlog or late work, ascending. */
  readonly #active: Int32Array;
  #activeSize = 0;
  #contended = false;

  constructor(input: FluidInput) {
    const { work, graceRatio } = input;
    const { tenants } = work;
    this.#input = input;
    this.#work = new StepWork(work);
    this.#filling = new StepFilling(tenants, this.#work.tenants);
    this.#cut = this.#sharing(input.backlog);
    this.#uncut = this.#sharing(input.gpsBacklog);
    const { backlog } = this.#cut;
    const { backlog: gpsBacklog } = this.#uncut;
    this.#figures = new SpanFigures({ tenants, backlog, gpsBacklog, graceRatio });
    this.#runFrom = new Int32Array(tenants).fill(-1);
    this.#active = new Int32Array(tenants);
    for (let tenant = 0; tenant < tenants; tenant++) {
      if ((backlog[tenant] ?? 0) > 0 || (gpsBacklog[tenant] ?? 0) > 0) this.#active[this.#activeSize++] = tenant;
    }
  }

  take(step: number): void {
    const { terms, stepsPerSpan, onSpan, isOccupied } = this.#input;
    if (step % stepsPerSpan === 0 && isOccupied?.(step / stepsPerSpan) === false) this.#forget(step);
    const entitled = terms.entitlements(step);
    if (entitled !== null) this.#filling.entitle(entitled.weights, entitled.groups);
    const size = this.#work.take(step, this.#active, this.#activeSize);
    const demand = this.#demand(size);
    const capacity = terms.capacity(step) ?? Number.POSITIVE_INFINITY;
    this.#filling.begin(size, capacity);
    const shares = this.#filling.share(this.#cut.columns, demand.cut);
    this.#contended ||= this.#filling.isContended(demand.cut);
    const gpsShares = demand.parted ? this.#filling.share(this.#uncut.columns, demand.uncut) : shares;
    this.#settle(step, size, { shares, gpsShares });
    const { tenants, served, lateAfter } = this.#work;
    this.#figures.add({ size, tenants, served, lateAfter, shares, gpsShares, gpsDue: this.#uncut.due });
    if ((step + 1) % stepsPerSpan !== 0) return;
    this.#figures.end((step + 1) / stepsPerSpan - 1, this.#contended, onSpan);
    this.#contended = false;
  }

  finish(): BacklogRun[] {
    for (let index = 0; index < this.#activeSize; index++) {
      this.#endRun(this.#active[index] ?? 0, this.#input.work.steps);
    }
    return this.#runs;
  }

  #sharing(backlog: Float64Array): Sharing {
    const { tenants } = this.#input.work;
    return { backlog: backlog.slice(), due: new Float64Array(tenants), columns: this.#filling.columns() };
  }

  /** What each tenant wants: offered now, or owed; the sums of it, and whether the two ways to share part in the step. */
  #demand(size: number): { readonly cut: number; readonly uncut: number; readonly parted: boolean } {
    const { tenants, admitted, refused, late } = this.#work;
    const cut = this.#cut;
    const uncut = this.#uncut;
    let total = 0;
    let uncutTotal = 0;
    let parted = false;
    for (let place = 0; place < size; place++) {
      const tenant = tenants[place] ?? 0;
      const offered = admitted[place] ?? 0;
      const wanted = offered + (refused[place] ?? 0);
      this.#figures.touch(tenant, late[place] ?? 0);
      // `b_i`: what a fair system too would still owe.
      const owed = Math.min(cut.backlog[tenant] ?? 0, late[place] ?? 0);
      // `q̂_i`; where it differs from `b_i` by rounding only, that.
      let uncutOwed = uncut.backlog[tenant] ?? 0;
      if (Math.abs(uncutOwed - owed) <= SLACK * (uncutOwed + offered)) uncutOwed = owed;
      else parted = true;
      cut.due[place] = offered + owed;
      uncut.due[place] = offered + uncutOwed;
      cut.columns.demands[place] = wanted + owed;
      uncut.columns.demands[place] = wanted + uncutOwed;
      total += wanted + owed;
      uncutTotal += wanted + uncutOwed;
    }
    return { cut: total, uncut: uncutTotal, parted };
  }

  #settle(
    step: number,
    size: number,
    { shares, gpsShares }: { readonly shares: Float64Array; readonly gpsShares: Float64Array },
  ): void {
    const { tenants, goesOn } = this.#work;
    const cut = this.#cut;
    const uncut = this.#uncut;
    let activeSize = 0;
    for (let place = 0; place < size; place++) {
      const tenant = tenants[place] ?? 0;
      const backlog = leftOver((cut.due[place] ?? 0) - (shares[place] ?? 0), cut.columns.demands[place] ?? 0);
      const gpsBacklog = leftOver((uncut.due[place] ?? 0) - (gpsShares[place] ?? 0), uncut.columns.demands[place] ?? 0);
      cut.backlog[tenant] = backlog;
      uncut.backlog[tenant] = gpsBacklog;
      if (backlog === 0) this.#endRun(tenant, step);
      else if (this.#runFrom[tenant] === -1) this.#runFrom[tenant] = step;
      if (backlog > 0 || gpsBacklog > 0 || goesOn[place] === 1) this.#active[activeSize++] = tenant;
    }
    this.#activeSize = activeSize;
  }

  /** Nobody is present, so nothing is late: only backlogs are left. */
  #forget(step: number): void {
    for (let index = 0; index < this.#activeSize; index++) {
      const tenant = this.#active[index] ?? 0;
      this.#cut.backlog[tenant] = 0;
      this.#uncut.backlog[tenant] = 0;
      this.#endRun(tenant, step);
    }
    this.#activeSize = 0;
  }

  #endRun(tenant: number, toStep: number): void {
    const fromStep = this.#runFrom[tenant] ?? -1;
    if (fromStep === -1) return;
    this.#runs.push({ tenant, fromStep, toStep });
    this.#runFrom[tenant] = -1;
  }
}
