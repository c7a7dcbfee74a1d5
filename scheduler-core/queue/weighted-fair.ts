import { FlowHeap } from './flow-heap.ts';
import { type TaggedFlow, VirtualTimeQueue } from './virtual-time-queue.ts';
import type { Waiting } from './waiting.ts';

/**
 * Weighted fair queueing, self-clocked (SCFQ: Golestani, INFOCOM 1994): the smallest finish tag first, ties in order of
 * arrival; V is the finish tag of the request last chosen. For two flows that wait throughout,
 * |servedᵢ/wᵢ − servedⱼ/wⱼ| ≤ Lᵢ/wᵢ + Lⱼ/wⱼ. O(log flows) per call. Symbols: THEORY.md.
 */
export class WeightedFairQueue<W extends Waiting<W>> extends VirtualTimeQueue<W> {
  readonly #inTurn = new FlowHeap<TaggedFlow<W>>();

  protected insert(flow: TaggedFlow<W>): void {
    flow.tag = flow.finishTag;
    this.#inTurn.push(flow);
  }

  protected moved(flow: TaggedFlow<W>): void {
    flow.tag = flow.finishTag;
    this.#inTurn.update(flow);
  }

  protected leave(flow: TaggedFlow<W>): void {
    this.#inTurn.remove(flow);
  }

  protected first(): TaggedFlow<W> | null {
    return this.#inTurn.peek() ?? null;
  }

  protected advance(_startTag: number, finishTag: number): void {
    // Never back: what was settled or let ahead may have a smaller tag.
    if (finishTag > this.virtualTime) this.virtualTime = finishTag;
  }

  protected rebase(amount: number): void {
    this.#inTurn.rebase(amount);
  }
}
