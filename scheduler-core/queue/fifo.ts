import { Flow } from './flow.ts';
import { FlowQueue } from './flow-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

/**
 * First in, first out: one queue for all, whoever asks (all entries have the same seat). O(1) per call. The control of
 * every fairness test: whoever floods it owns it.
 */
export class FifoQueue<W extends Waiting<W>> extends FlowQueue<W> {
  #flow: Flow<W> | null = null;

  protected createFlow(seat: Seat, weight: number): Flow<W> {
    return new Flow<W>(seat, weight);
  }

  protected enter(flow: Flow<W>): void {
    this.#flow = flow;
  }

  protected leave(): void {
    this.#flow = null;
  }

  protected first(): Flow<W> | null {
    return this.#flow;
  }

  override costAhead(): number {
    return this.waitingCost;
  }

  settle(): void {}
  protected served(): void {}
  protected withdrew(): void {}
  protected forget(): void {}
}
