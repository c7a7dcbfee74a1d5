import { ExactAmounts } from './exact-amounts.ts';
import { KINDS, WORK_KINDS } from './work-kinds.ts';

/** What tenants offered and got in spans of equal length, in the order of tenants, then of spans: only where one was present. */
export interface SpanWork {
  readonly size: number;
  readonly tenantOf: Int32Array;
  readonly spanOf: Int32Array;
  /** `oA_i`, `oR_i`, `s_i` (of all attempts), and `v_i` at the span's start and end. */
  readonly offered: Float64Array;
  readonly refused: Float64Array;
  readonly served: Float64Array;
  readonly late: Float64Array;
  readonly lateAfter: Float64Array;
}

/** What comes in a step alone or at a rate, of one kind of work. */
const FLOWS = { offered: 0, refused: 1, served: 2, extra: 3 } as const;
const FLOW_COUNT = 4;

interface Meaning {
  readonly flow: number;
  readonly isRate: boolean;
}

const MEANINGS: (Meaning | null)[] = Array.from({ length: KINDS }, () => null);
MEANINGS[WORK_KINDS.offeredOnce] = { flow: FLOWS.offered, isRate: false };
MEANINGS[WORK_KINDS.offeredRate] = { flow: FLOWS.offered, isRate: true };
MEANINGS[WORK_KINDS.refusedOnce] = { flow: FLOWS.refused, isRate: false };
MEANINGS[WORK_KINDS.refusedRate] = { flow: FLOWS.refused, isRate: true };
MEANINGS[WORK_KINDS.servedOnce] = { flow: FLOWS.served, isRate: false };
MEANINGS[WORK_KINDS.servedRate] = { flow: FLOWS.served, isRate: true };
MEANINGS[WORK_KINDS.extraOnce] = { flow: FLOWS.extra, isRate: false };
MEANINGS[WORK_KINDS.extraRate] = { flow: FLOWS.extra, isRate: true };

/** Adds up a tenant's work over the steps of each span, exactly: the sum of a span is that of its steps. One tenant after the other. */
export class SpanWorkBuilder {
  readonly #spans: number;
  readonly #stepsPerSpan: number;
  /** Numbered `span · FLOW_COUNT + flow`. */
  readonly #sums: ExactAmounts;
  /** By how much the rate of every step changes from the span's first on. */
  readonly #rates: ExactAmounts;
  readonly #late = new ExactAmounts(1);
  readonly #isPresent: Uint8Array;
  readonly #rate = new ExactAmounts(FLOW_COUNT);
  readonly #rows = new Rows();
  #first = Number.POSITIVE_INFINITY;
  #last = -1;

  constructor(spans: number, stepsPerSpan: number) {
    this.#spans = spans;
    this.#stepsPerSpan = stepsPerSpan;
    this.#sums = new ExactAmounts(spans * FLOW_COUNT);
    this.#rates = new ExactAmounts(spans * FLOW_COUNT);
    this.#isPresent = new Uint8Array(spans);
  }

  /** The tenant at hand is present in the spans from `first` to `last`; what lies outside the range is left out. */
  touch(first: number, last: number): void {
    const from = Math.max(0, first);
    const to = Math.min(this.#spans - 1, last);
    for (let span = from; span <= to; span++) this.#isPresent[span] = 1;
    if (from > to) return;
    if (from < this.#first) this.#first = from;
    if (to > this.#last) this.#last = to;
  }

  /** An entry of work as `FluidWork` has it. */
  put(step: number, kind: number, whole: number, fraction: number): void {
    const meaning = MEANINGS[kind] ?? null;
    if (meaning === null) {
      this.#late.add(0, whole, fraction);
      return;
    }
    const span = Math.floor(step / this.#stepsPerSpan);
    const place = span * FLOW_COUNT + meaning.flow;
    if (!meaning.isRate) {
      this.#sums.add(place, whole, fraction);
      return;
    }
    this.#sums.addTimes(place, whole, fraction, (span + 1) * this.#stepsPerSpan - step);
    if (span + 1 < this.#spans) this.#rates.add(place + FLOW_COUNT, whole, fraction);
  }

  /** All of a tenant's work was put: its spans are noted, and the next may begin. */
  end(tenant: number): void {
    const { offered, refused, served, extra } = FLOWS;
    for (let span = this.#first; span <= this.#last; span++) {
      const place = span * FLOW_COUNT;
      for (let flow = 0; flow < FLOW_COUNT; flow++) {
        this.#rate.addFrom(flow, this.#rates, place + flow, 1);
        if (!this.#rate.isZero(flow)) {
          const { whole, fraction } = { whole: this.#rate.whole(flow), fraction: this.#rate.fraction(flow) };
          this.#sums.addTimes(place + flow, whole, fraction, this.#stepsPerSpan);
        }
      }
      const late = this.#late.value(0);
      this.#late.addFrom(0, this.#sums, place + offered, 1);
      this.#late.addFrom(0, this.#sums, place + served, -1);
      this.#sums.addFrom(place + served, this.#sums, place + extra, 1);
      if (this.#isPresent[span] === 1) {
        this.#rows.push(
          tenant,
          span,
          this.#sums.value(place + offered),
          this.#sums.value(place + refused),
          this.#sums.value(place + served),
          late,
          this.#late.value(0),
        );
      }
    }
    this.#clear();
  }

  built(): SpanWork {
    return this.#rows.columns();
  }

  #clear(): void {
    // A rate may end in the span behind the last.
    const end = Math.min(this.#spans, this.#last + 2) * FLOW_COUNT;
    for (let place = Math.min(this.#first * FLOW_COUNT, end); place < end; place++) {
      this.#sums.clear(place);
      this.#rates.clear(place);
    }
    if (this.#last >= 0) this.#isPresent.fill(0, this.#first, this.#last + 1);
    for (let flow = 0; flow < FLOW_COUNT; flow++) this.#rate.clear(flow);
    this.#late.clear(0);
    this.#first = Number.POSITIVE_INFINITY;
    this.#last = -1;
  }
}

/** Columns that grow. */
class Rows {
  #size = 0;
  #tenantOf = new Int32Array(1024);
  #spanOf = new Int32Array(1024);
  #offered = new Float64Array(1024);
  #refused = new Float64Array(1024);
  #served = new Float64Array(1024);
  #late = new Float64Array(1024);
  #lateAfter = new Float64Array(1024);

  push(
    tenant: number,
    span: number,
    offered: number,
    refused: number,
    served: number,
    late: number,
    lateAfter: number,
  ): void {
    const place = this.#size++;
    if (place === this.#tenantOf.length) this.#grow(2 * place);
    this.#tenantOf[place] = tenant;
    this.#spanOf[place] = span;
    this.#offered[place] = offered;
    this.#refused[place] = refused;
    this.#served[place] = served;
    this.#late[place] = late;
    this.#lateAfter[place] = lateAfter;
  }

  columns(): SpanWork {
    return {
      size: this.#size,
      tenantOf: this.#tenantOf,
      spanOf: this.#spanOf,
      offered: this.#offered,
      refused: this.#refused,
      served: this.#served,
      late: this.#late,
      lateAfter: this.#lateAfter,
    };
  }

  #grow(length: number): void {
    const longer = <Column extends Int32Array | Float64Array>(column: Column, into: Column): Column => {
      into.set(column);
      return into;
    };
    this.#tenantOf = longer(this.#tenantOf, new Int32Array(length));
    this.#spanOf = longer(this.#spanOf, new Int32Array(length));
    this.#offered = longer(this.#offered, new Float64Array(length));
    this.#refused = longer(this.#refused, new Float64Array(length));
    this.#served = longer(this.#served, new Float64Array(length));
    this.#late = longer(this.#late, new Float64Array(length));
    this.#lateAfter = longer(this.#lateAfter, new Float64Array(length));
  }
}
