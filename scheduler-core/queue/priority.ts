import type { Random } from '../kernel/index.ts';
import { Flow } from './flow.ts';
import { FlowQueue } from './flow-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

/**
 * Strict priority: a flow (class) is served only while none before it in `order` waits for anything that may go; classes that
 * are not named come last, in order of arrival of their oldest request. O(classes) per call. Starves whoever is not first.
 */
export class StrictPriorityQueue<W extends Waiting<W>> extends FlowQueue<W> {
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #inTurn = new Set<Flow<W>>();

  constructor(order: readonly string[]) {
    super();
    this.#ranks = new Map(order.map((key, rank) => [key, rank]));
  }

  protected createFlow(seat: Seat, weight: number): Flow<W> {
    return new Flow<W>(seat, weight);
  }

  protected enter(flow: Flow<W>): void {
    this.#inTurn.add(flow);
  }

  protected leave(flow: Flow<W>): void {
    this.#inTurn.delete(flow);
  }

  protected first(): Flow<W> | null {
    let best: Flow<W> | null = null;
    for (const flow of this.#inTurn) if (best === null || this.#comesBefore(flow, best)) best = flow;
    return best;
  }

  /** What waits in classes as urgent or more. */
  override costAhead({ seat }: W): number {
    const rank = this.#rankOf(seat.key);
    let cost = 0;
    for (const flow of this.flows) if (this.#rankOf(flow.seat.key) <= rank) cost += flow.waitingCost;
    return cost;
  }

  settle(): void {}
  protected served(): void {}
  protected withdrew(): void {}
  protected forget(): void {}

  #rankOf(key: string): number {
    return this.#ranks.get(key) ?? this.#ranks.size;
  }

  #comesBefore(left: Flow<W>, right: Flow<W>): boolean {
    const byRank = this.#rankOf(left.seat.key) - this.#rankOf(right.seat.key);
    return byRank < 0 || (byRank === 0 && (left.oldest()?.sequence ?? 0) < (right.oldest()?.sequence ?? 0));
  }
}

/**
 * A random choice among the flows (classes) in turn, with chances in proportion to their weights. Fair in the number of
 * requests, on average only. O(classes) per call. The same seed makes the same choices.
 */
export class WeightedRandomQueue<W extends Waiting<W>> extends FlowQueue<W> {
  readonly #random: Random;
  /** In order of entering, which is the same in every run. */
  readonly #inTurn = new Set<Flow<W>>();

  constructor(random: Random) {
    super();
    this.#random = random;
  }

  protected createFlow(seat: Seat, weight: number): Flow<W> {
    return new Flow<W>(seat, weight);
  }

  protected enter(flow: Flow<W>): void {
    this.#inTurn.add(flow);
  }

  protected leave(flow: Flow<W>): void {
    this.#inTurn.delete(flow);
  }

  protected first(): Flow<W> | null {
    let weight = 0;
    for (const flow of this.#inTurn) weight += flow.weight;
    let drawn = this.#random.next() * weight;
    let last: Flow<W> | null = null;
    for (const flow of this.#inTurn) {
      last = flow;
      drawn -= flow.weight;
      if (drawn < 0) break;
    }
    return last;
  }

  settle(): void {}
  protected served(): void {}
  protected withdrew(): void {}
  protected forget(): void {}
}
