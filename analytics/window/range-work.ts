import { FluidWorkBuilder } from '../../scheduler-core/index.ts';
import { isSuperseded, type RequestSpans, requestKind } from '../queries/request-spans.ts';
import { REQUEST_KINDS } from '../queries/window-rows.ts';
import { type Saturation, SaturationSweep } from './saturation-sweep.ts';

/** What a tenant offered and got in a window, in the pool's cost unit (docs/definitions.md, "Work"). */
export interface TenantWorkInWindow {
  readonly tenant: string;
  readonly offeredAdmitted: number;
  readonly offeredRefused: number;
  /** Of all attempts. */
  readonly served: number;
  /** `v_i` at the window's start, and at its end. */
  readonly late: number;
  readonly lateAfter: number;
}

/** A window's work: of each tenant that was present in it, and of all together. */
export interface WindowWork {
  readonly window: number;
  /** In the order of their names' bytes. */
  readonly tenants: readonly TenantWorkInWindow[];
  /** Slot-time in service, slot-ms. */
  readonly busyMs: number;
  readonly largestCostInService: number;
  /** Requests that wait at the window's end. */
  readonly waitingAtEnd: number;
  /** Requests that were waiting or in service at the watermark. */
  readonly openRequests: number;
  /** Slots that its requests hold: the smallest number, and the largest. */
  readonly smallestSlots: number;
  readonly largestSlots: number;
}

/** Tenants by name, and the work of all as steps of the fluid model take it. */
export interface NamedFluidWork {
  readonly tenants: readonly string[];
  readonly work: FluidWorkBuilder;
}

export interface RangeShape {
  /** Start of the range, epoch ms; a window's. */
  readonly fromMs: number;
  readonly windows: number;
  readonly windowMs: number;
  /** Length of the fluid model's steps; a window has a whole number of them. */
  readonly stepMs: number;
}

const { served, inService, waiting, refused, lostWaiting, lostInService, untimed } = REQUEST_KINDS;

/** What a kind of request is, by its number. */
const isServedKind = flags([served, inService, lostInService]);
const isAdmittedKind = flags([served, inService, waiting, lostInService]);
const isRefusedKind = flags([refused, untimed, lostWaiting]);
const isOpenKind = flags([inService, waiting]);

function flags(kinds: readonly number[]): readonly boolean[] {
  return Array.from({ length: 16 }, (_, kind) => kinds.includes(kind));
}

/**
 * The work of a range of windows, gathered tenant by tenant in one pass over its requests: for the windows, for the fluid
 * model's steps, and for what the slots did while requests waited.
 */
export class RangeWork {
  readonly #shape: RangeShape;
  readonly #tenants: string[] = [];
  readonly #carried: readonly string[];
  #nextCarried = 0;
  readonly #work: FluidWorkBuilder;
  readonly #sweep: SaturationSweep;
  readonly #largestCost: Float64Array;
  readonly #waitingAtEnd: Float64Array;
  readonly #open: Float64Array;
  readonly #smallest: Float64Array;
  readonly #largest: Float64Array;

  /** @param carried tenants that count although they may have no request in the range, in the order of their names' bytes. */
  constructor(shape: RangeShape, carried: readonly string[]) {
    const { windows, windowMs, stepMs } = shape;
    const stepsPerSpan = Math.round(windowMs / stepMs);
    this.#shape = shape;
    this.#carried = carried;
    this.#work = new FluidWorkBuilder({ steps: windows * stepsPerSpan, stepMs, stepsPerSpan });
    this.#sweep = new SaturationSweep(windows, windowMs);
    this.#largestCost = new Float64Array(windows);
    this.#waitingAtEnd = new Float64Array(windows);
    this.#open = new Float64Array(windows);
    this.#smallest = new Float64Array(windows).fill(Number.POSITIVE_INFINITY);
    this.#largest = new Float64Array(windows);
  }

  /** The same work in steps, as the fluid model takes it. */
  get named(): NamedFluidWork {
    return { tenants: this.#tenants, work: this.#work };
  }

  /** A tenant's requests; each tenant once, in the order of their names' bytes. */
  take(spans: RequestSpans): void {
    this.#passCarried(spans.tenant);
    const tenant = this.#tenants.push(spans.tenant) - 1;
    const { arrivedMs, turnMs, serviceMs, cost, slots, kindOf } = spans;
    for (let place = 0; place < kindOf.length; place++) {
      const entry = kindOf[place] ?? 0;
      this.#add(
        tenant,
        requestKind(entry),
        isSuperseded(entry),
        arrivedMs.at(place),
        turnMs.at(place),
        serviceMs.at(place),
        cost.at(place),
        slots.at(place),
      );
    }
  }

  /** Nothing can be taken afterwards. In time order; windows in which nobody was present are left out. */
  windows(): WindowWork[] {
    const { fromMs, windows, windowMs, stepMs } = this.#shape;
    const stepsPerSpan = Math.round(windowMs / stepMs);
    this.#passCarried(null);
    this.#work.build(this.#tenants.length);
    const { size, tenantOf, spanOf, offered, refused, served, late, lateAfter } = this.#work.spanWork();
    const tenants: TenantWorkInWindow[][] = Array.from({ length: windows }, () => []);
    for (let row = 0; row < size; row++) {
      tenants[spanOf[row] ?? 0]?.push({
        tenant: this.#tenants[tenantOf[row] ?? 0] ?? '',
        offeredAdmitted: offered[row] ?? 0,
        offeredRefused: refused[row] ?? 0,
        served: served[row] ?? 0,
        late: late[row] ?? 0,
        lateAfter: lateAfter[row] ?? 0,
      });
    }
    const { busyMs } = this.#work.poolSteps();
    const found: WindowWork[] = [];
    for (const [place, present] of tenants.entries()) {
      if (present.length === 0) continue;
      let busy = 0;
      for (let step = place * stepsPerSpan; step < (place + 1) * stepsPerSpan; step++) busy += busyMs[step] ?? 0;
      found.push({
        window: fromMs / windowMs + place,
        tenants: present,
        busyMs: busy,
        largestCostInService: this.#largestCost[place] ?? 0,
        waitingAtEnd: this.#waitingAtEnd[place] ?? 0,
        openRequests: this.#open[place] ?? 0,
        smallestSlots: this.#smallest[place] ?? 0,
        largestSlots: this.#largest[place] ?? 0,
      });
    }
    return found;
  }

  /**
   * By the number of a window; none when no request waited.
   *
   * @param slotsOf the declared slots of a window; null: none are.
   */
  saturation(slotsOf: (window: number) => number | null): Map<number, Saturation> {
    const first = this.#shape.fromMs / this.#shape.windowMs;
    const windows = this.#sweep.saturation((place) => {
      const smallest = this.#smallest[place] ?? 1;
      return { slots: slotsOf(first + place) ?? 0, smallest: Number.isFinite(smallest) ? smallest : 1 };
    });
    return new Map(windows.map((saturation, place) => [first + place, saturation]));
  }

  /** Takes in the carried tenants before a name, or all. Sums of tenants are added up in one order, wherever a range begins. */
  #passCarried(before: string | null): void {
    for (let name = this.#carried[this.#nextCarried]; name !== undefined; name = this.#carried[++this.#nextCarried]) {
      const order = before === null ? -1 : compareBytes(name, before);
      if (order > 0) return;
      if (order < 0) this.#tenants.push(name);
    }
  }

  #add(
    tenant: number,
    kind: number,
    superseded: boolean,
    arrivedMs: number,
    turnMs: number,
    serviceMs: number,
    cost: number,
    slots: number,
  ): void {
    const { windows, windowMs } = this.#shape;
    const isServed = isServedKind[kind] ?? false;
    const wholeMs = Math.ceil(serviceMs);
    const presentToMs = Math.max(arrivedMs + wholeMs, isServed ? turnMs + wholeMs : turnMs);
    this.#work.add(tenant, {
      arrivedMs,
      dispatchedMs: turnMs,
      serviceMs,
      cost,
      slots,
      presentToMs,
      isAdmitted: (isAdmittedKind[kind] ?? false) && !superseded,
      isRefused: (isRefusedKind[kind] ?? false) && !superseded,
      isServed,
    });
    this.#sweep.wait(arrivedMs, turnMs);
    if (kind === served) this.#sweep.hold(turnMs, turnMs + serviceMs, slots);
    else if (kind === inService) this.#sweep.hold(turnMs, Number.POSITIVE_INFINITY, slots);
    const isOpen = isOpenKind[kind] ?? false;
    const last = Math.min(windows - 1, Math.floor((presentToMs - 1) / windowMs));
    for (let window = Math.max(0, Math.floor(arrivedMs / windowMs)); window <= last; window++) {
      const startMs = window * windowMs;
      const endMs = startMs + windowMs;
      if (slots < (this.#smallest[window] ?? 0)) this.#smallest[window] = slots;
      if (slots > (this.#largest[window] ?? 0)) this.#largest[window] = slots;
      if (isOpen) this.#open[window] = (this.#open[window] ?? 0) + 1;
      if (arrivedMs < endMs && turnMs >= endMs) this.#waitingAtEnd[window] = (this.#waitingAtEnd[window] ?? 0) + 1;
      const isInService = isServed && slots > 0 && turnMs < endMs && turnMs + serviceMs > startMs;
      if (isInService && cost > (this.#largestCost[window] ?? 0)) this.#largestCost[window] = cost;
    }
  }
}

/** As the engine orders texts. */
export function compareBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
