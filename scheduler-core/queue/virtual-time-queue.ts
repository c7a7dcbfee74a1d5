import { Flow } from './flow.ts';
import { FlowHeap, type Tagged } from './flow-heap.ts';
import { type Entrance, FlowQueue } from './flow-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

/** A flow with tags on the scale of the virtual time, cost per weight. */
export class TaggedFlow<W extends Waiting<W>> extends Flow<W> implements Tagged {
  tag = 0;
  tie = 0;
  heapIndex = -1;
  /** S of its oldest request. */
  startTag = 0;
  /** F of its oldest request. */
  finishTag = 0;
  /** Whether its oldest request may go: wf2q only. */
  eligible = false;
  /** F of the request that was last served or promoted; what was settled since is in it. */
  lastFinish = Number.NEGATIVE_INFINITY;
}

/** From here on tags are moved back to 0 all together: costs of 1 keep 29 binary places. A power of 2, so that nothing is rounded. */
const REBASE_STEP = 2 ** 24;

/**
 * What wfq and wf2q have in common: S = max(V at arrival, F of the predecessor), F = S + cost/weight, reckoned when a request
 * becomes its flow's oldest, so that one that left unserved is as if it had never come. A flow that waits for nothing is
 * kept in mind until V has passed its last finish tag.
 *
 * A flow that was held or paused starts anew from V: it gains nothing. One that waited for room keeps its tags.
 */
export abstract class VirtualTimeQueue<W extends Waiting<W>> extends FlowQueue<W, TaggedFlow<W>> {
  protected virtualTime = 0;
  /** Flows that wait for nothing and whose last finish tag lies before V. */
  readonly #idle = new FlowHeap<TaggedFlow<W>>();

  protected abstract insert(flow: TaggedFlow<W>): void;
  /** The tags of a flow in turn have changed. */
  protected abstract moved(flow: TaggedFlow<W>): void;
  /** The heaps of flows in turn are to be rebased too. */
  protected abstract rebase(amount: number): void;
  /** A request was chosen in turn: V goes on. */
  protected abstract advance(startTag: number, finishTag: number, entry: W): void;

  override push(entry: W): void {
    entry.virtualArrival = this.virtualTime;
    super.push(entry);
  }

  protected createFlow(seat: Seat, weight: number): TaggedFlow<W> {
    return new TaggedFlow<W>(seat, weight);
  }

  protected enter(flow: TaggedFlow<W>, entrance: Entrance): void {
    if (flow.heapIndex >= 0) this.#idle.remove(flow);
    if (entrance === 'release') flow.lastFinish = Math.max(flow.lastFinish, this.virtualTime);
    this.#tagOldest(flow);
    this.insert(flow);
  }

  protected served(flow: TaggedFlow<W>, entry: W): void {
    const startTag = Math.max(flow.lastFinish, entry.virtualArrival);
    const finishTag = startTag + entry.cost / entry.weight;
    flow.lastFinish = finishTag;
    this.advance(startTag, finishTag, entry);
    if (flow.waiting > 0) {
      this.#tagOldest(flow);
      this.moved(flow);
    }
    this.#passIdle();
  }

  protected withdrew(flow: TaggedFlow<W>, entry: W, charged: boolean): void {
    if (charged) flow.lastFinish = Math.max(flow.lastFinish, entry.virtualArrival) + entry.cost / entry.weight;
    this.#retag(flow);
  }

  settle(entry: W, cost: number): void {
    if (cost === 0) return;
    const flow = this.flowOf(entry.seat);
    if (flow === null) {
      if (cost > 0) this.#owe(entry, cost / entry.weight);
      return;
    }
    // A flow that began anew since then has no finish tag of its own yet.
    const from = cost > 0 && flow.waiting > 0 ? Math.max(flow.lastFinish, flow.startTag) : flow.lastFinish;
    flow.lastFinish = from + cost / entry.weight;
    if (flow.waiting > 0) this.#retag(flow);
    else if (flow.lastFinish > this.virtualTime) this.#keepIdle(flow);
    else {
      this.#idle.remove(flow);
      this.drop(flow);
    }
  }

  protected override keeps(flow: TaggedFlow<W>): boolean {
    if (flow.lastFinish <= this.virtualTime) return false;
    this.#keepIdle(flow);
    return true;
  }

  protected forget(): void {
    this.virtualTime = 0;
    for (let flow = this.#idle.peek(); flow !== undefined; flow = this.#idle.peek()) this.#idle.remove(flow);
  }

  /** A flow that nobody waits in, and whose last finish tag lay at V or before it, has more to pay. */
  #owe(entry: W, normalizedCost: number): void {
    const flow = this.begin(entry);
    flow.lastFinish = this.virtualTime + normalizedCost;
    this.#keepIdle(flow);
  }

  #keepIdle(flow: TaggedFlow<W>): void {
    flow.tag = flow.lastFinish;
    if (flow.heapIndex < 0) this.#idle.push(flow);
    else this.#idle.update(flow);
  }

  #retag(flow: TaggedFlow<W>): void {
    if (flow.waiting === 0 || flow.parked) return;
    this.#tagOldest(flow);
    this.moved(flow);
  }

  #tagOldest(flow: TaggedFlow<W>): void {
    const entry = flow.oldest();
    if (entry === null) return;
    flow.startTag = Math.max(flow.lastFinish, entry.virtualArrival);
    flow.finishTag = flow.startTag + entry.cost / entry.weight;
    flow.tie = entry.sequence;
  }

  #passIdle(): void {
    for (let flow = this.#idle.peek(); flow !== undefined && flow.tag <= this.virtualTime; flow = this.#idle.peek()) {
      this.#idle.remove(flow);
      this.drop(flow);
    }
    if (this.virtualTime >= 2 * REBASE_STEP) this.#rebase();
  }

  #rebase(): void {
    const amount = Math.floor(this.virtualTime / REBASE_STEP) * REBASE_STEP;
    this.virtualTime -= amount;
    for (const flow of this.flows) {
      flow.tag -= amount;
      flow.startTag -= amount;
      flow.finishTag -= amount;
      flow.lastFinish -= amount;
      for (const entry of flow.entries()) entry.virtualArrival -= amount;
    }
    this.#idle.rebase(amount);
    this.rebase(amount);
  }
}
