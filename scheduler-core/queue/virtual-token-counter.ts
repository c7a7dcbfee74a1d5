import { Flow } from './flow.ts';
import { FlowHeap, type Tagged } from './flow-heap.ts';
import { type Entrance, FlowQueue } from './flow-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

class CountedFlow<W extends Waiting<W>> extends Flow<W> implements Tagged {
  /** Its counter: cost per weight. */
  tag = Number.NEGATIVE_INFINITY;
  tie = 0;
  heapIndex = -1;
}

/**
 * So many flows that wait for nothing are remembered for being ahead; beyond that those that are least ahead are forgotten, and
 * gain no more than that when they return. One-time visitors would else be remembered for ever.
 */
const MOST_IDLE = 2 ** 14;

/** Counters are moved back all together from here on. A power of 2, so that nothing is rounded. */
const REBASE_STEP = 2 ** 24;

/**
 * Virtual token counter (Sheng et al., Fairness in Serving Large Language Models, OSDI 2024, algorithm 2, with weights): the
 * flow with the smallest counter first, ties in order of arrival; each choice adds its cost ÷ weight, and what is charged or
 * settled later is added when it is known. A flow that comes back is lifted to the smallest counter of those that wait, or, when
 * nobody waits, to that of the flow that left last: idling saves nothing up. O(log flows) per call.
 */
export class VirtualTokenCounterQueue<W extends Waiting<W>> extends FlowQueue<W, CountedFlow<W>> {
  readonly #inTurn = new FlowHeap<CountedFlow<W>>();
  /** Flows that wait for nothing and are ahead of the others. */
  readonly #idle = new FlowHeap<CountedFlow<W>>();
  /** The greatest counter that was ever the smallest: nobody returns below it. */
  #floor = Number.NEGATIVE_INFINITY;

  /** The flow's counter, cost per weight; null when nothing of it is in mind. */
  counterOf(seat: Seat): number | null {
    return this.flowOf(seat)?.tag ?? null;
  }

  protected createFlow(seat: Seat, weight: number): CountedFlow<W> {
    return new CountedFlow<W>(seat, weight);
  }

  protected enter(flow: CountedFlow<W>, entrance: Entrance): void {
    if (flow.heapIndex >= 0) this.#idle.remove(flow);
    if (entrance !== 'room') flow.tag = Math.max(flow.tag, this.#inTurn.peek()?.tag ?? this.#floor, 0);
    flow.tie = flow.oldest()?.sequence ?? 0;
    this.#inTurn.push(flow);
  }

  protected leave(flow: CountedFlow<W>): void {
    this.#inTurn.remove(flow);
    // Whoever left last is whom the next one joins, should nobody wait by then.
    if (this.#inTurn.size === 0 && flow.waiting === 0) this.#floor = Math.max(this.#floor, flow.tag);
  }

  protected first(): CountedFlow<W> | null {
    return this.#inTurn.peek() ?? null;
  }

  protected served(flow: CountedFlow<W>, entry: W): void {
    if (flow.tag > this.#floor) this.#floor = flow.tag;
    flow.tag += entry.cost / entry.weight;
    this.#moved(flow);
    this.#passIdle();
  }

  protected withdrew(flow: CountedFlow<W>, entry: W, charged: boolean): void {
    if (charged) flow.tag += entry.cost / entry.weight;
    if (!flow.parked) this.#moved(flow);
  }

  settle(entry: W, cost: number): void {
    if (cost === 0) return;
    const flow = this.flowOf(entry.seat);
    if (flow === null) {
      if (cost > 0) this.#owe(entry, cost / entry.weight);
      return;
    }
    flow.tag += cost / entry.weight;
    if (flow.waiting > 0) {
      if (!flow.parked) this.#inTurn.update(flow);
    } else if (flow.tag > this.#floor) this.#idle.update(flow);
    else {
      this.#idle.remove(flow);
      this.drop(flow);
    }
  }

  protected override keeps(flow: CountedFlow<W>): boolean {
    if (flow.tag <= this.#floor) return false;
    this.#idle.push(flow);
    if (this.#idle.size > MOST_IDLE) this.#forgetLeastAhead();
    return true;
  }

  protected forget(): void {
    for (let flow = this.#idle.peek(); flow !== undefined; flow = this.#idle.peek()) this.#idle.remove(flow);
    this.#floor = Number.NEGATIVE_INFINITY;
  }

  #moved(flow: CountedFlow<W>): void {
    const oldest = flow.oldest();
    if (oldest === null) return;
    flow.tie = oldest.sequence;
    this.#inTurn.update(flow);
  }

  #owe(entry: W, normalizedCost: number): void {
    const flow = this.begin(entry);
    flow.tag = Math.max(this.#floor, 0) + normalizedCost;
    this.#idle.push(flow);
  }

  #forgetLeastAhead(): void {
    const flow = this.#idle.peek();
    if (flow === undefined) return;
    this.#idle.remove(flow);
    this.drop(flow);
  }

  #passIdle(): void {
    for (let flow = this.#idle.peek(); flow !== undefined && flow.tag <= this.#floor; flow = this.#idle.peek()) {
      this.#idle.remove(flow);
      this.drop(flow);
    }
    if (this.#floor < 2 * REBASE_STEP) return;
    const amount = Math.floor(this.#floor / REBASE_STEP) * REBASE_STEP;
    this.#floor -= amount;
    for (const flow of this.flows) flow.tag -= amount;
    this.#inTurn.rebase(amount);
    this.#idle.rebase(amount);
  }
}
