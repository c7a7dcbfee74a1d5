import { assertInvariant } from '../kernel/assert.ts';
import { type FlowWeights, flowWeight } from './flow-weights.ts';
import { KeyHeap } from './key-heap.ts';

export interface GpsArrival {
  readonly flow: string;
  /** When it arrives, in any unit of time; finite. */
  readonly t: number;
  /** Work, in any unit; ≥ 0, finite. */
  readonly size: number;
}

export interface GpsOptions {
  /** Work served per unit of time; > 0, default 1. */
  readonly rate?: number;
  /** `w_i` > 0; default all 1. */
  readonly weights?: FlowWeights;
}

export interface GpsResult {
  /** `V(t)`: service per unit of weight that a flow backlogged from the beginning would have had by t. Stands while nobody is. */
  roundNumber(t: number): number;
  /** When each packet is done, in the order of the arrivals as given. */
  readonly finishTimes: number[];
  /** When the last is done; -Infinity without arrivals. */
  readonly idleAt: number;
}

interface Flow {
  readonly weight: number;
  /** Its packets that are not done, in order. */
  readonly packets: number[];
  /** The first of them. */
  head: number;
  /** The finish number of the last one that arrived. */
  lastFinish: number;
}

/**
 * Exact generalized processor sharing of packets: at each moment every backlogged flow is served at `rate · w_i/Σw`, the sum
 * over the backlogged flows, its own packets one after the other. By events: `V` rises at `rate/Σw`, a packet has the finish
 * number `F = max(V(arrival), F of the flow's packet before it) + size/w_i` and is done when `V = F`. O(n log n).
 *
 * An oracle for disciplines that approximate it; not one itself, as nobody can serve parts of packets.
 * Source: Demers, Keshav & Shenker, SIGCOMM 1989; Parekh & Gallager, ToN 1993; THEORY.md, "Generalized processor sharing".
 *
 * @param arrivals in any order; of one flow at one time, in the order given.
 * @throws EVS_INVARIANT for figures that are not numbers of the stated kind.
 */
export function gps(arrivals: readonly GpsArrival[], { rate = 1, weights }: GpsOptions = {}): GpsResult {
  assertInvariant(rate > 0 && Number.isFinite(rate), `the rate must be > 0, got ${rate}`);
  for (const { t, size } of arrivals) {
    assertInvariant(Number.isFinite(t), () => `an arrival must have a time, got ${t}`);
    assertInvariant(size >= 0 && Number.isFinite(size), () => `a size must be ≥ 0, got ${size}`);
  }
  const run = new GpsRun(arrivals, rate);
  const flowNumbers = new Map<string, number>();
  const numberOf = (flow: string): number => {
    const known = flowNumbers.get(flow);
    if (known !== undefined) return known;
    flowNumbers.set(flow, flowNumbers.size);
    const weight = flowWeight(weights, flow);
    assertInvariant(weight > 0, () => `the weight of ${JSON.stringify(flow)} must be > 0`);
    return run.addFlow(weight);
  };
  const inTime = arrivals
    .map((arrival, index) => ({ ...arrival, index }))
    .sort((a, b) => a.t - b.t || a.index - b.index);
  for (const { flow, t, size, index } of inTime) run.arrive(numberOf(flow), { t, size, index });
  run.advance(Number.POSITIVE_INFINITY);
  return { roundNumber: (t) => run.roundNumber(t), finishTimes: run.finishTimes, idleAt: run.idleAt };
}

class GpsRun {
  readonly finishTimes: number[];
  idleAt = Number.NEGATIVE_INFINITY;
  readonly #rate: number;
  readonly #flows: Flow[] = [];
  /** Backlogged flows, by the finish number of their first packet. */
  readonly #backlogged: KeyHeap;
  readonly #finishNumbers: Float64Array;
  #backloggedWeight = 0;
  #t = Number.NEGATIVE_INFINITY;
  #v = 0;
  /** The corners of V: from `t` on it rises from `v` at `slope`. */
  readonly #corners: { readonly t: number; readonly v: number; readonly slope: number }[] = [];

  constructor(arrivals: readonly GpsArrival[], rate: number) {
    this.#rate = rate;
    this.finishTimes = new Array<number>(arrivals.length).fill(Number.NaN);
    this.#finishNumbers = new Float64Array(arrivals.length);
    this.#backlogged = new KeyHeap(arrivals.length);
  }

  addFlow(weight: number): number {
    this.#flows.push({ weight, packets: [], head: 0, lastFinish: 0 });
    return this.#flows.length - 1;
  }

  arrive(number: number, packet: { readonly t: number; readonly size: number; readonly index: number }): void {
    this.advance(packet.t);
    const flow = this.#flow(number);
    flow.lastFinish = Math.max(this.#v, flow.lastFinish) + packet.size / flow.weight;
    this.#finishNumbers[packet.index] = flow.lastFinish;
    flow.packets.push(packet.index);
    if (flow.packets.length - flow.head > 1) return;
    this.#backlogged.push(number, flow.lastFinish);
    this.#backloggedWeight += flow.weight;
    this.#mark();
  }

  /** Up to time t, which may be Infinity: until all is done. */
  advance(t: number): void {
    while (this.#backlogged.size > 0) {
      const finish = this.#backlogged.peekKey();
      const doneAt = this.#t + ((finish - this.#v) * this.#backloggedWeight) / this.#rate;
      if (doneAt > t) {
        this.#v = Math.min(finish, this.#v + ((t - this.#t) * this.#rate) / this.#backloggedWeight);
        break;
      }
      this.#t = doneAt;
      this.#v = finish;
      this.#finishFirst();
    }
    if (Number.isFinite(t)) this.#t = t;
  }

  roundNumber(t: number): number {
    let low = 0;
    let high = this.#corners.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#corners[middle]?.t ?? Number.POSITIVE_INFINITY) <= t) low = middle + 1;
      else high = middle;
    }
    const corner = this.#corners[low - 1];
    if (corner === undefined) return 0;
    const v = corner.slope === 0 ? corner.v : corner.v + (t - corner.t) * corner.slope;
    return Math.min(v, this.#corners[low]?.v ?? v);
  }

  /** The first packet of the first flow is done. */
  #finishFirst(): void {
    const number = this.#backlogged.peek() ?? 0;
    const flow = this.#flow(number);
    this.finishTimes[flow.packets[flow.head++] ?? 0] = this.#t;
    this.idleAt = this.#t;
    const next = flow.packets[flow.head];
    if (next !== undefined) {
      this.#backlogged.rekeyFirst(this.#finishNumbers[next] ?? 0);
      return;
    }
    this.#backlogged.pop();
    flow.packets.length = 0;
    flow.head = 0;
    // What adding and taking away has rounded does not outlive a busy period.
    this.#backloggedWeight = this.#backlogged.size === 0 ? 0 : this.#backloggedWeight - flow.weight;
    this.#mark();
  }

  #mark(): void {
    const slope = this.#backloggedWeight === 0 ? 0 : this.#rate / this.#backloggedWeight;
    if (this.#corners.at(-1)?.t === this.#t) this.#corners.pop();
    this.#corners.push({ t: this.#t, v: this.#v, slope });
  }

  #flow(number: number): Flow {
    const flow = this.#flows[number];
    assertInvariant(flow !== undefined, 'flows are numbered as they come');
    return flow;
  }
}
