import { ExactAmounts } from './exact-amounts.ts';
import { type FluidWork, WORK_KINDS } from './fluid-work.ts';
import { type Groups, groupedMaxMinFairShare } from './grouped-max-min.ts';

/** What holds in a step. */
export interface FluidTerms {
  /** `C` of a step in the pool's cost unit; null when it cannot be known: then every demand is granted. */
  capacity(step: number): number | null;
  /** Weights by tenant, and groups, from a step on: null where nothing changed since the step before. Never null for step 0. */
  entitlements(step: number): { readonly weights: readonly number[]; readonly groups: Groups | null } | null;
}

/** What the fluid model says of some steps in a row, by tenant. Valid during the call only: the arrays are used again. */
export interface FluidSpan {
  readonly span: number;
  /** `Σ f_i` over its steps: ideal service. */
  readonly ideal: Float64Array;
  /** The largest lag at an end of its steps. */
  readonly maxLag: Float64Array;
  /** Sum of the lags at the ends of its steps. */
  readonly lagSum: Float64Array;
  /** `q_i` at its end. */
  readonly backlog: Float64Array;
  /** What it was really served, of all attempts. */
  readonly served: Float64Array;
  /** By processor sharing that never looks at the real system (backlog `q̂_i`): what verdicts go by. */
  readonly gps: GpsSpan;
  /** Tenants with any of these, ascending. */
  readonly touched: readonly number[];
  /** Whether demand exceeded the capacity in some step. */
  readonly contended: boolean;
}

/** Figures of a span by uncut processor sharing, by tenant. */
export interface GpsSpan {
  /** `Σ f̂_i` over its steps. */
  readonly served: Float64Array;
  /** The part of it that requests were due which the real system refused. */
  readonly refused: Float64Array;
  /** The lag at its start: late work beyond both backlogs. */
  readonly lagBefore: Float64Array;
  /** The largest lag at an end of its steps, less what was due in the last second: a burst at its end is no grievance yet. */
  readonly maxLag: Float64Array;
  /** `q̂_i` at its end. */
  readonly backlog: Float64Array;
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

/** Demands and shares of a step, in the order of those present. */
interface Filling {
  readonly demands: readonly number[];
  readonly shares: readonly number[];
  readonly contended: boolean;
}

/** What is left of a demand, rounding aside. */
function leftOver(left: number, demand: number): number {
  return left > SLACK * demand ? left : 0;
}

class Recursion {
  readonly #input: FluidInput;
  readonly #offered: Flow;
  readonly #refused: Flow;
  readonly #served: Flow;
  readonly #extra: Flow;
  readonly #late: ExactAmounts;
  /** By kind of entry. */
  readonly #sums: readonly ExactAmounts[];
  readonly #backlog: Float64Array;
  readonly #runFrom: Int32Array;
  readonly #runs: BacklogRun[] = [];
  readonly #ideal: Float64Array;
  readonly #maxLag: Float64Array;
  readonly #lagSum: Float64Array;
  readonly #servedSum: Float64Array;
  readonly #gps: GpsSpan;
  readonly #isTouched: Uint8Array;
  #touched: number[] = [];
  /** Tenants with work at a rate, backlog or late work, ascending. */
  #active: number[] = [];
  #contended = false;
  #weights: readonly number[] = [];
  #groups: Groups | null = null;

  constructor(input: FluidInput) {
    const { work, backlog } = input;
    this.#input = input;
    this.#offered = new Flow(work.tenants);
    this.#refused = new Flow(work.tenants);
    this.#served = new Flow(work.tenants);
    this.#extra = new Flow(work.tenants);
    this.#late = new ExactAmounts(work.tenants);
    const sums: ExactAmounts[] = [];
    sums[WORK_KINDS.offeredOnce] = this.#offered.once;
    sums[WORK_KINDS.offeredRate] = this.#offered.rate;
    sums[WORK_KINDS.refusedOnce] = this.#refused.once;
    sums[WORK_KINDS.refusedRate] = this.#refused.rate;
    sums[WORK_KINDS.servedOnce] = this.#served.once;
    sums[WORK_KINDS.servedRate] = this.#served.rate;
    sums[WORK_KINDS.late] = this.#late;
    sums[WORK_KINDS.extraOnce] = this.#extra.once;
    sums[WORK_KINDS.extraRate] = this.#extra.rate;
    this.#sums = sums;
    this.#backlog = backlog.slice();
    this.#runFrom = new Int32Array(work.tenants).fill(-1);
    this.#ideal = new Float64Array(work.tenants);
    this.#maxLag = new Float64Array(work.tenants);
    this.#lagSum = new Float64Array(work.tenants);
    this.#servedSum = new Float64Array(work.tenants);
    this.#gps = {
      served: new Float64Array(work.tenants),
      refused: new Float64Array(work.tenants),
      lagBefore: new Float64Array(work.tenants),
      maxLag: new Float64Array(work.tenants),
      backlog: input.gpsBacklog.slice(),
    };
    this.#isTouched = new Uint8Array(work.tenants);
    for (let tenant = 0; tenant < work.tenants; tenant++) {
      if ((backlog[tenant] ?? 0) > 0 || (input.gpsBacklog[tenant] ?? 0) > 0) this.#active.push(tenant);
    }
  }

  take(step: number): void {
    const { terms, stepsPerSpan } = this.#input;
    const entitled = terms.entitlements(step);
    if (entitled !== null) {
      this.#weights = entitled.weights;
      this.#groups = entitled.groups;
    }
    const present = this.#apply(step);
    const capacity = terms.capacity(step) ?? Number.POSITIVE_INFINITY;
    const cut = this.#share(present, capacity, (tenant) => this.#owed(tenant));
    this.#contended ||= cut.contended;
    const parted = present.some((tenant) => this.#uncut(tenant) !== this.#owed(tenant));
    const gps = parted ? this.#share(present, capacity, (tenant) => this.#uncut(tenant)) : cut;
    this.#settle(step, present, cut, gps);
    if ((step + 1) % stepsPerSpan === 0) this.#endSpan((step + 1) / stepsPerSpan - 1);
  }

  finish(): BacklogRun[] {
    for (const tenant of this.#active) this.#endRun(tenant, this.#input.work.steps);
    return this.#runs;
  }

  #share(present: readonly number[], capacity: number, owed: (tenant: number) => number): Filling {
    const demands = new Array<number>(present.length);
    let total = 0;
    for (let place = 0; place < present.length; place++) {
      const tenant = present[place] ?? 0;
      const demand = this.#offered.value(tenant) + this.#refused.value(tenant) + owed(tenant);
      demands[place] = demand;
      total += demand;
    }
    const contended = total > capacity * (1 + SLACK);
    return { demands, shares: contended ? this.#fill(present, demands, capacity) : demands, contended };
  }

  /** `q̂_i`; where it differs from `b_i` by rounding only, that. */
  #uncut(tenant: number): number {
    const owed = this.#owed(tenant);
    const uncut = this.#gps.backlog[tenant] ?? 0;
    return Math.abs(uncut - owed) <= SLACK * (uncut + this.#offered.value(tenant)) ? owed : uncut;
  }

  /** `b_i`: what a fair system too would still owe. */
  #owed(tenant: number): number {
    return Math.min(this.#backlog[tenant] ?? 0, this.#late.value(tenant));
  }

  /** Applies the step's entries; returns the tenants with anything in it, ascending. */
  #apply(step: number): number[] {
    const { startOf, tenantOf, kindOf, whole, fraction } = this.#input.work;
    const end = startOf[step + 1] ?? 0;
    let entry = startOf[step] ?? 0;
    if (entry === end) return this.#active;
    const present: number[] = [];
    let place = 0;
    let newest = -1;
    for (; entry < end; entry++) {
      const tenant = tenantOf[entry] ?? 0;
      this.#sums[kindOf[entry] ?? WORK_KINDS.late]?.add(tenant, whole[entry] ?? 0, fraction[entry] ?? 0);
      if (tenant === newest) continue;
      newest = tenant;
      while (place < this.#active.length && (this.#active[place] ?? 0) < tenant)
        present.push(this.#active[place++] ?? 0);
      if (this.#active[place] === tenant) place++;
      present.push(tenant);
    }
    while (place < this.#active.length) present.push(this.#active[place++] ?? 0);
    return present;
  }

  #fill(present: readonly number[], demands: readonly number[], capacity: number): readonly number[] {
    const weights = present.map((tenant) => this.#weights[tenant] ?? 1);
    const all = this.#groups;
    const groups = all === null ? null : { of: present.map((tenant) => all.of[tenant] ?? -1), weights: all.weights };
    return groupedMaxMinFairShare(demands, capacity, weights, groups).shares;
  }

  #settle(step: number, present: readonly number[], cut: Filling, gps: Filling): void {
    const active: number[] = [];
    for (let place = 0; place < present.length; place++) {
      const tenant = present[place] ?? 0;
      if (this.#isTouched[tenant] === 0) this.#begin(tenant);
      const share = cut.shares[place] ?? 0;
      const gpsShare = gps.shares[place] ?? 0;
      const admitted = this.#offered.value(tenant);
      const uncut = admitted + this.#uncut(tenant);
      const backlog = leftOver(admitted + this.#owed(tenant) - share, cut.demands[place] ?? 0);
      const gpsBacklog = leftOver(uncut - gpsShare, gps.demands[place] ?? 0);
      this.#backlog[tenant] = backlog;
      this.#gps.backlog[tenant] = gpsBacklog;
      this.#servedSum[tenant] = (this.#servedSum[tenant] ?? 0) + this.#served.value(tenant) + this.#extra.value(tenant);
      this.#offered.end(tenant, this.#late, 1);
      this.#refused.end(tenant, null, 1);
      this.#served.end(tenant, this.#late, -1);
      this.#extra.end(tenant, null, 1);
      const late = this.#late.value(tenant);
      this.#note(tenant, share, Math.max(0, late - backlog));
      this.#noteGps(tenant, { share: gpsShare, due: uncut, lag: late - Math.max(backlog, gpsBacklog) });
      if (backlog === 0) this.#endRun(tenant, step);
      else if (this.#runFrom[tenant] === -1) this.#runFrom[tenant] = step;
      if (backlog > 0 || gpsBacklog > 0 || !this.#late.isZero(tenant) || this.#goesOn(tenant)) active.push(tenant);
    }
    this.#active = active;
  }

  #goesOn(tenant: number): boolean {
    return !(
      this.#offered.rate.isZero(tenant) &&
      this.#refused.rate.isZero(tenant) &&
      this.#served.rate.isZero(tenant) &&
      this.#extra.rate.isZero(tenant)
    );
  }

  /** Before anything of a span happens to a tenant. */
  #begin(tenant: number): void {
    this.#isTouched[tenant] = 1;
    this.#touched.push(tenant);
    const late = this.#late.value(tenant);
    const backlog = this.#backlog[tenant] ?? 0;
    this.#gps.lagBefore[tenant] = Math.max(0, late - Math.max(backlog, this.#gps.backlog[tenant] ?? 0));
  }

  #noteGps(
    tenant: number,
    { share, due, lag }: { readonly share: number; readonly due: number; readonly lag: number },
  ): void {
    const { served, refused, maxLag } = this.#gps;
    served[tenant] = (served[tenant] ?? 0) + share;
    // What admitted requests were due comes first.
    if (share > due) refused[tenant] = (refused[tenant] ?? 0) + share - due;
    const grieved = lag - this.#input.graceRatio * share;
    if (grieved > (maxLag[tenant] ?? 0)) maxLag[tenant] = grieved;
  }

  #note(tenant: number, share: number, lag: number): void {
    this.#ideal[tenant] = (this.#ideal[tenant] ?? 0) + share;
    this.#lagSum[tenant] = (this.#lagSum[tenant] ?? 0) + lag;
    if (lag > (this.#maxLag[tenant] ?? 0)) this.#maxLag[tenant] = lag;
  }

  #endRun(tenant: number, toStep: number): void {
    const fromStep = this.#runFrom[tenant] ?? -1;
    if (fromStep === -1) return;
    this.#runs.push({ tenant, fromStep, toStep });
    this.#runFrom[tenant] = -1;
  }

  #endSpan(span: number): void {
    const touched = this.#touched.sort((a, b) => a - b);
    this.#input.onSpan({
      span,
      ideal: this.#ideal,
      maxLag: this.#maxLag,
      lagSum: this.#lagSum,
      backlog: this.#backlog,
      served: this.#servedSum,
      gps: this.#gps,
      touched,
      contended: this.#contended,
    });
    for (const tenant of touched) {
      this.#ideal[tenant] = 0;
      this.#maxLag[tenant] = 0;
      this.#lagSum[tenant] = 0;
      this.#servedSum[tenant] = 0;
      this.#gps.served[tenant] = 0;
      this.#gps.refused[tenant] = 0;
      this.#gps.lagBefore[tenant] = 0;
      this.#gps.maxLag[tenant] = 0;
      this.#isTouched[tenant] = 0;
    }
    this.#touched = [];
    this.#contended = false;
  }
}

/** Work of one kind in the step at hand: what comes in it alone, and what comes in every step. */
class Flow {
  readonly once: ExactAmounts;
  readonly rate: ExactAmounts;

  constructor(tenants: number) {
    this.once = new ExactAmounts(tenants);
    this.rate = new ExactAmounts(tenants);
  }

  value(tenant: number): number {
    return this.once.value(tenant) + this.rate.value(tenant);
  }

  /** Hands the step's work to a running amount, if there is one; what came in this step alone is over. */
  end(tenant: number, sum: ExactAmounts | null, sign: 1 | -1): void {
    if (sum !== null && !this.rate.isZero(tenant)) sum.addFrom(tenant, this.rate, tenant, sign);
    if (this.once.isZero(tenant)) return;
    sum?.addFrom(tenant, this.once, tenant, sign);
    this.once.clear(tenant);
  }
}
