import { ExactAmounts } from './exact-amounts.ts';
import type { FluidWork } from './fluid-work.ts';
import { WORK_KINDS } from './work-kinds.ts';

const FLOWS = { offered: 0, refused: 1, served: 2, extra: 3 } as const;
const FLOW_COUNT = 4;

/** The flow of each kind of entry that comes in a step alone, and of each that changes a rate; -1: it is none. */
const FLOW_OF_ONCE: readonly number[] = [FLOWS.offered, -1, FLOWS.refused, -1, FLOWS.served, -1, -1, FLOWS.extra, -1];
const FLOW_OF_RATE: readonly number[] = [-1, FLOWS.offered, -1, FLOWS.refused, -1, FLOWS.served, -1, -1, FLOWS.extra];

/**
 * The work of one step after the other, from its entries and the rates that go on. What it says of the step at hand lies
 * by place, one for each tenant that is present, in their order.
 */
export class StepWork {
  readonly tenants: Int32Array;
  /** `oA_i`, `oR_i` and `s_i`, of all attempts. */
  readonly admitted: Float64Array;
  readonly refused: Float64Array;
  readonly served: Float64Array;
  /** `v_i` at the step's start, and at its end. */
  readonly late: Float64Array;
  readonly lateAfter: Float64Array;
  /** 1: it has a rate, or late work, that goes on after the step. */
  readonly goesOn: Uint8Array;
  readonly #work: FluidWork;
  readonly #once = new ExactAmounts(FLOW_COUNT);
  /** Numbered `tenant · FLOW_COUNT + flow`. */
  readonly #rates: ExactAmounts;
  /** By tenant: 1 where one of its rates is not 0. */
  readonly #hasRate: Uint8Array;
  readonly #late: ExactAmounts;

  constructor(work: FluidWork) {
    const { tenants } = work;
    this.tenants = new Int32Array(tenants);
    this.admitted = new Float64Array(tenants);
    this.refused = new Float64Array(tenants);
    this.served = new Float64Array(tenants);
    this.late = new Float64Array(tenants);
    this.lateAfter = new Float64Array(tenants);
    this.goesOn = new Uint8Array(tenants);
    this.#work = work;
    this.#rates = new ExactAmounts(tenants * FLOW_COUNT);
    this.#hasRate = new Uint8Array(tenants);
    this.#late = new ExactAmounts(tenants);
  }

  /**
   * Goes on to a step; they are taken one after the other.
   *
   * @param active the tenants, ascending, that are present whether or not they have entries, `activeSize` of them; all that
   * went on after the step before are among them.
   * @returns how many are present.
   */
  take(step: number, active: Int32Array, activeSize: number): number {
    const { startOf, tenantOf, tenants: none } = this.#work;
    const end = startOf[step + 1] ?? 0;
    let entry = startOf[step] ?? 0;
    let next = 0;
    let size = 0;
    while (entry < end || next < activeSize) {
      const withEntry = entry < end ? (tenantOf[entry] ?? 0) : none;
      const withoutEntry = next < activeSize ? (active[next] ?? 0) : none;
      const tenant = Math.min(withEntry, withoutEntry);
      if (tenant === withoutEntry) next++;
      for (; entry < end && tenantOf[entry] === tenant; entry++) this.#enter(tenant, entry);
      this.#say(size++, tenant);
    }
    return size;
  }

  #enter(tenant: number, entry: number): void {
    const kind = this.#work.kindOf[entry] ?? WORK_KINDS.late;
    const whole = this.#work.whole[entry] ?? 0;
    const fraction = this.#work.fraction[entry] ?? 0;
    const once = FLOW_OF_ONCE[kind] ?? -1;
    if (once >= 0) {
      this.#once.add(once, whole, fraction);
      return;
    }
    const rate = FLOW_OF_RATE[kind] ?? -1;
    if (rate < 0) {
      this.#late.add(tenant, whole, fraction);
      return;
    }
    const rates = this.#rates;
    const first = tenant * FLOW_COUNT;
    rates.add(first + rate, whole, fraction);
    let hasRate = 0;
    for (let flow = 0; flow < FLOW_COUNT; flow++) if (!rates.isZero(first + flow)) hasRate = 1;
    this.#hasRate[tenant] = hasRate;
  }

  #say(place: number, tenant: number): void {
    const once = this.#once;
    const hasRate = this.#hasRate[tenant] ?? 0;
    let admitted = once.value(FLOWS.offered);
    let refused = once.value(FLOWS.refused);
    let served = once.value(FLOWS.served);
    let extra = once.value(FLOWS.extra);
    // Late work grows by what is offered and shrinks by what is served; of integers, in whatever order they are added.
    let whole = once.whole(FLOWS.offered) - once.whole(FLOWS.served);
    let fraction = once.fraction(FLOWS.offered) - once.fraction(FLOWS.served);
    for (let flow = 0; flow < FLOW_COUNT; flow++) once.clear(flow);
    if (hasRate === 1) {
      const rates = this.#rates;
      const first = tenant * FLOW_COUNT;
      admitted += rates.value(first + FLOWS.offered);
      refused += rates.value(first + FLOWS.refused);
      served += rates.value(first + FLOWS.served);
      extra += rates.value(first + FLOWS.extra);
      whole += rates.whole(first + FLOWS.offered) - rates.whole(first + FLOWS.served);
      fraction += rates.fraction(first + FLOWS.offered) - rates.fraction(first + FLOWS.served);
    }
    this.tenants[place] = tenant;
    this.admitted[place] = admitted;
    this.refused[place] = refused;
    this.served[place] = served + extra;
    this.late[place] = this.#late.value(tenant);
    if (whole !== 0 || fraction !== 0) this.#late.add(tenant, whole, fraction);
    this.lateAfter[place] = this.#late.value(tenant);
    this.goesOn[place] = hasRate === 1 || !this.#late.isZero(tenant) ? 1 : 0;
  }
}
