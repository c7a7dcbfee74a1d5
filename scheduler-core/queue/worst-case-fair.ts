import { FlowHeap } from './flow-heap.ts';
import { type TaggedFlow, VirtualTimeQueue } from './virtual-time-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

/** A start tag that exceeds V by no more than this part of itself does so by rounding: a tenth ten times over is less than 1. */
const ROUNDING_RATIO = 1e-12;

/**
 * Worst-case fair weighted fair queueing (WF²Q+: Bennett & Zhang, IEEE/ACM Transactions on Networking 5(5), 1997): among the
 * requests that fluid sharing would have begun by now (start tag ≤ V) the smallest finish tag, ties in order of arrival. Each
 * choice moves V on by cost ÷ Σ weight of the flows that wait or whose last finish tag lies ahead, and at least to the
 * smallest start tag. O(log flows) amortised per call. Symbols: THEORY.md.
 */
export class WorstCaseFairQueue<W extends Waiting<W>> extends VirtualTimeQueue<W> {
  /** By finish tag: start tag ≤ V. */
  readonly #eligible = new FlowHeap<TaggedFlow<W>>();
  /** By start tag: not yet. */
  readonly #ahead = new FlowHeap<TaggedFlow<W>>();
  /** Σ weight of the flows in mind. */
  #weight = 0;

  override push(entry: W): void {
    const flow = this.flowOf(entry.seat);
    if (flow !== null) this.#weight += entry.weight - flow.weight;
    super.push(entry);
  }

  protected override createFlow(seat: Seat, weight: number): TaggedFlow<W> {
    this.#weight += weight;
    return super.createFlow(seat, weight);
  }

  protected override drop(flow: TaggedFlow<W>): void {
    super.drop(flow);
    this.#weight = this.flows.size === 0 ? 0 : this.#weight - flow.weight;
  }

  protected insert(flow: TaggedFlow<W>): void {
    flow.eligible = this.#hasBegun(flow);
    if (flow.eligible) {
      flow.tag = flow.finishTag;
      this.#eligible.push(flow);
    } else {
      flow.tag = flow.startTag;
      this.#ahead.push(flow);
    }
  }

  protected moved(flow: TaggedFlow<W>): void {
    this.leave(flow);
    this.insert(flow);
  }

  protected leave(flow: TaggedFlow<W>): void {
    if (flow.eligible) this.#eligible.remove(flow);
    else this.#ahead.remove(flow);
  }

  protected first(): TaggedFlow<W> | null {
    if (this.#eligible.size === 0) {
      const next = this.#ahead.peek();
      if (next === undefined) return null;
      if (next.startTag > this.virtualTime) this.virtualTime = next.startTag;
    }
    for (let flow = this.#ahead.peek(); flow !== undefined && this.#hasBegun(flow); flow = this.#ahead.peek()) {
      this.#ahead.remove(flow);
      this.insert(flow);
    }
    return this.#eligible.peek() ?? null;
  }

  protected advance(_startTag: number, _finishTag: number, entry: W): void {
    this.virtualTime += entry.cost / this.#weight;
  }

  protected rebase(amount: number): void {
    this.#eligible.rebase(amount);
    this.#ahead.rebase(amount);
  }

  #hasBegun(flow: TaggedFlow<W>): boolean {
    return flow.startTag * (1 - ROUNDING_RATIO) <= this.virtualTime;
  }

  protected override forget(): void {
    super.forget();
    this.#weight = 0;
  }
}
