import { ExactAmounts, fractionOf } from './exact-amounts.ts';
import { type SpanWork, SpanWorkBuilder } from './span-work.ts';
import { KINDS, WORK_KINDS } from './work-kinds.ts';

/** What tenants offered and got in steps of equal length; a tenant has entries only where its work changes. */
export interface FluidWork {
  readonly tenants: number;
  readonly steps: number;
  /** Entries lie in the order of their steps, within one in that of tenants: those of a step begin here, and there is one more. */
  readonly startOf: Int32Array;
  /** Per entry its tenant, from 0, its kind, and its amount in whole units and 2⁻⁴⁰ths (see `ExactAmounts`). */
  readonly tenantOf: Int32Array;
  readonly kindOf: Uint8Array;
  readonly whole: Float64Array;
  readonly fraction: Float64Array;
}

/** What a request offers and gets; times in ms from the first step's start, and may lie before it. */
export interface FluidRequest {
  readonly arrivedMs: number;
  /** Ignored where it was not served. */
  readonly dispatchedMs: number;
  /** `S` > 0. */
  readonly serviceMs: number;
  /** `c` ≥ 0, in the pool's cost unit. */
  readonly cost: number;
  /** `k` ≥ 0. */
  readonly slots: number;
  /** Until when it is there: waiting, in service, or still offered although refused. */
  readonly presentToMs: number;
  /** It counts as offered, and as late until it is served. */
  readonly isAdmitted: boolean;
  /** It counts as offered, and evaporates. */
  readonly isRefused: boolean;
  /** It was, or is, in service. */
  readonly isServed: boolean;
}

/** What all tenants together got in each step. */
export interface PoolSteps {
  readonly served: readonly number[];
  /** Slot-time in service, slot-ms. */
  readonly busyMs: readonly number[];
}

/** The range in steps, and how many of them are a span: a window. */
export interface FluidShape {
  readonly steps: number;
  readonly stepMs: number;
  readonly stepsPerSpan: number;
}

/** By kind of entry: as what it counts among all that was served; -1: as nothing. */
const SERVED_KIND = Array.from({ length: KINDS }, () => -1);
SERVED_KIND[WORK_KINDS.servedOnce] = WORK_KINDS.servedOnce;
SERVED_KIND[WORK_KINDS.servedRate] = WORK_KINDS.servedRate;
SERVED_KIND[WORK_KINDS.extraOnce] = WORK_KINDS.servedOnce;
SERVED_KIND[WORK_KINDS.extraRate] = WORK_KINDS.servedRate;

/**
 * Spreads requests evenly over the steps of `[arrival, arrival + S)` and `[dispatch, dispatch + S)`, exactly: over all
 * steps the parts of a request add up to its cost, to the last bit, and the order of requests changes nothing.
 * Requests come tenant by tenant, because what is added up of one tenant fits the caches.
 */
export class FluidWorkBuilder {
  readonly #steps: number;
  readonly #tenant: StepSums;
  readonly #pool: StepSums;
  readonly #busy: StepSums;
  #entries = new Entries();
  #built: FluidWork | null = null;
  readonly #spans: SpanWorkBuilder;
  readonly #spanMs: number;
  #current = 0;

  /** @param shape `steps` is a multiple of `stepsPerSpan`. */
  constructor({ steps, stepMs, stepsPerSpan }: FluidShape) {
    this.#steps = steps;
    this.#tenant = new StepSums(steps, stepMs);
    this.#pool = new StepSums(steps, stepMs);
    this.#busy = new StepSums(steps, stepMs);
    this.#spans = new SpanWorkBuilder(Math.round(steps / stepsPerSpan), stepsPerSpan);
    this.#spanMs = stepMs * stepsPerSpan;
  }

  /** @param tenant its number, from 0; not below any before. */
  add(tenant: number, request: FluidRequest): void {
    const { arrivedMs, dispatchedMs, serviceMs, cost, slots, isAdmitted, isServed } = request;
    if (tenant !== this.#current) this.#end(tenant);
    const firstMs = isServed ? Math.min(arrivedMs, dispatchedMs) : arrivedMs;
    this.#spans.touch(
      Math.floor(firstMs / this.#spanMs),
      Math.floor((Math.ceil(request.presentToMs) - 1) / this.#spanMs),
    );
    if (isServed) this.#busy.spread(dispatchedMs, serviceMs, slots * serviceMs, WORK_KINDS.servedOnce);
    if (!isAdmitted) {
      if (request.isRefused) this.#tenant.spread(arrivedMs, serviceMs, cost, WORK_KINDS.refusedOnce);
      if (isServed) this.#tenant.spread(dispatchedMs, serviceMs, cost, WORK_KINDS.extraOnce);
      return;
    }
    this.#tenant.spread(arrivedMs, serviceMs, cost, WORK_KINDS.offeredOnce);
    this.#tenant.putBefore(1);
    if (!isServed) return;
    this.#tenant.spread(dispatchedMs, serviceMs, cost, WORK_KINDS.servedOnce);
    this.#tenant.putBefore(-1);
  }

  /**
   * The work of all tenants that were added; nothing can be added afterwards.
   *
   * @param tenants how many there are, if there are more than have work.
   */
  build(tenants: number = this.#current + 1): FluidWork {
    if (this.#built !== null) return this.#built;
    this.#end(tenants);
    this.#built = { tenants, steps: this.#steps, ...this.#entries.byStep(this.#steps) };
    this.#entries = new Entries();
    return this.#built;
  }

  /** Of all tenants together; valid after `build`. */
  poolSteps(): PoolSteps {
    return { served: this.#pool.totals(), busyMs: this.#busy.totals() };
  }

  /** The same work by tenant and span; valid after `build`. */
  spanWork(): SpanWork {
    return this.#spans.built();
  }

  #end(next: number): void {
    const tenant = this.#current;
    this.#tenant.drain((step, kind, whole, fraction) => {
      this.#entries.push(step, tenant, kind, whole, fraction);
      this.#spans.put(step, kind, whole, fraction);
      const served = SERVED_KIND[kind] ?? -1;
      if (served >= 0) this.#pool.put(step, served, whole, fraction);
    });
    this.#spans.end(tenant);
    this.#current = next;
  }
}

/** Sums per step and kind of work, exact. */
class StepSums {
  readonly #steps: number;
  readonly #stepMs: number;
  /** Numbered `step · KINDS + kind`. */
  readonly #sums: ExactAmounts;
  readonly #isTouched: Uint8Array;
  readonly #touched: Int32Array;
  #touchedCount = 0;
  // Of what was spread last: what lay before step 0.
  #beforeWhole = 0;
  #beforeFraction = 0;

  constructor(steps: number, stepMs: number) {
    this.#steps = steps;
    this.#stepMs = stepMs;
    this.#sums = new ExactAmounts(steps * KINDS);
    this.#isTouched = new Uint8Array(steps * KINDS);
    this.#touched = new Int32Array(steps * KINDS);
  }

  /**
   * Spreads an amount over `[startMs, startMs + serviceMs)`: `once` is the kind of what lies in the first and the last step;
   * the next kind is the rate of the steps between.
   */
  spread(startMs: number, serviceMs: number, amount: number, once: number): void {
    const stepMs = this.#stepMs;
    const first = Math.floor(startMs / stepMs);
    const last = Math.floor((startMs + Math.ceil(serviceMs) - 1) / stepMs);
    const whole = Math.floor(amount);
    const fraction = fractionOf(amount);
    this.#beforeWhole = 0;
    this.#beforeFraction = 0;
    if (last <= first) {
      if (first < 0) this.#setBefore(whole, fraction);
      this.put(first, once, whole, fraction);
      return;
    }
    const head = (amount * ((first + 1) * stepMs - startMs)) / serviceMs;
    const headWhole = Math.floor(head);
    const headFraction = fractionOf(head);
    const between = last - first - 1;
    const rate = between === 0 ? 0 : (amount * stepMs) / serviceMs;
    const rateWhole = Math.floor(rate);
    const rateFraction = fractionOf(rate);
    if (last < 0) this.#setBefore(whole, fraction);
    else if (first < 0) {
      this.#setBefore(headWhole + rateWhole * (-first - 1), headFraction + rateFraction * (-first - 1));
    }
    this.put(first, once, headWhole, headFraction);
    this.put(last, once, whole - headWhole - between * rateWhole, fraction - headFraction - between * rateFraction);
    if (between === 0 || last <= 0) return;
    this.put(Math.max(first + 1, 0), once + 1, rateWhole, rateFraction);
    this.put(last, once + 1, -rateWhole, -rateFraction);
  }

  /** Adds `sign` times what of the amount spread last lay before step 0 to the late work. */
  putBefore(sign: 1 | -1): void {
    if (this.#beforeWhole === 0 && this.#beforeFraction === 0) return;
    this.put(0, WORK_KINDS.late, sign * this.#beforeWhole, sign * this.#beforeFraction);
  }

  /** Hands over every sum that is not 0, in no order, and begins anew. */
  drain(take: (step: number, kind: number, whole: number, fraction: number) => void): void {
    for (let touched = 0; touched < this.#touchedCount; touched++) {
      const index = this.#touched[touched] ?? 0;
      this.#isTouched[index] = 0;
      if (this.#sums.isZero(index)) continue;
      const kind = index % KINDS;
      take((index - kind) / KINDS, kind, this.#sums.whole(index), this.#sums.fraction(index));
      this.#sums.clear(index);
    }
    this.#touchedCount = 0;
  }

  /** Per step what came of the kinds `servedOnce` and `servedRate`. */
  totals(): number[] {
    const rate = new ExactAmounts(1);
    return Array.from({ length: this.#steps }, (_, step) => {
      rate.addFrom(0, this.#sums, step * KINDS + WORK_KINDS.servedRate, 1);
      return this.#sums.value(step * KINDS + WORK_KINDS.servedOnce) + rate.value(0);
    });
  }

  #setBefore(whole: number, fraction: number): void {
    this.#beforeWhole = whole;
    this.#beforeFraction = fraction;
  }

  put(step: number, kind: number, whole: number, fraction: number): void {
    if (step < 0 || step >= this.#steps) return;
    const index = step * KINDS + kind;
    this.#sums.add(index, whole, fraction);
    if (this.#isTouched[index] === 1) return;
    this.#isTouched[index] = 1;
    this.#touched[this.#touchedCount++] = index;
  }
}

/** Columns that grow. */
class Entries {
  #size = 0;
  #stepOf = new Int32Array(1024);
  #tenantOf = new Int32Array(1024);
  #kindOf = new Uint8Array(1024);
  #whole = new Float64Array(1024);
  #fraction = new Float64Array(1024);

  push(step: number, tenant: number, kind: number, whole: number, fraction: number): void {
    const place = this.#size++;
    if (place === this.#stepOf.length) this.#grow(2 * place);
    this.#stepOf[place] = step;
    this.#tenantOf[place] = tenant;
    this.#kindOf[place] = kind;
    this.#whole[place] = whole;
    this.#fraction[place] = fraction;
  }

  /** In the order of steps, then as they were pushed: read in that order, they lie side by side. */
  byStep(steps: number): Pick<FluidWork, 'startOf' | 'tenantOf' | 'kindOf' | 'whole' | 'fraction'> {
    const size = this.#size;
    const startOf = new Int32Array(steps + 1);
    for (let entry = 0; entry < size; entry++) {
      const after = (this.#stepOf[entry] ?? 0) + 1;
      startOf[after] = (startOf[after] ?? 0) + 1;
    }
    for (let step = 0; step < steps; step++) startOf[step + 1] = (startOf[step + 1] ?? 0) + (startOf[step] ?? 0);
    const next = startOf.slice();
    const tenantOf = new Int32Array(size);
    const kindOf = new Uint8Array(size);
    const whole = new Float64Array(size);
    const fraction = new Float64Array(size);
    for (let entry = 0; entry < size; entry++) {
      const step = this.#stepOf[entry] ?? 0;
      const place = next[step] ?? 0;
      next[step] = place + 1;
      tenantOf[place] = this.#tenantOf[entry] ?? 0;
      kindOf[place] = this.#kindOf[entry] ?? 0;
      whole[place] = this.#whole[entry] ?? 0;
      fraction[place] = this.#fraction[entry] ?? 0;
    }
    return { startOf, tenantOf, kindOf, whole, fraction };
  }

  #grow(length: number): void {
    const longer = <Column extends Int32Array | Uint8Array | Float64Array>(column: Column, into: Column): Column => {
      into.set(column);
      return into;
    };
    this.#stepOf = longer(this.#stepOf, new Int32Array(length));
    this.#tenantOf = longer(this.#tenantOf, new Int32Array(length));
    this.#kindOf = longer(this.#kindOf, new Uint8Array(length));
    this.#whole = longer(this.#whole, new Float64Array(length));
    this.#fraction = longer(this.#fraction, new Float64Array(length));
  }
}
