import { EvenshareError } from '../kernel/index.ts';
import { Flow } from './flow.ts';
import { type Entrance, FlowQueue } from './flow-queue.ts';
import type { Seat, Waiting } from './waiting.ts';

class RingFlow<W extends Waiting<W>> extends Flow<W> {
  deficitCost = 0;
  /** Whether it has had its grant for this visit. */
  granted = false;
  /** The round in which it had its last grant, or joined. */
  round = 0;
  before: RingFlow<W> | null = null;
  after: RingFlow<W> | null = null;
}

/**
 * A cost is covered when it exceeds the deficit by no more than this part of itself: sums of rounded grants (0.1 eight
 * times over is less than 0.8) must not cost a flow a round, nor a grant too small to register block one for ever.
 * What is lent so stays owed: the deficit goes below zero, nothing is minted.
 */
const ROUNDING_RATIO = 1e-12;

/** Debts of flows that wait for nothing are looked through when there are twice as many as after the last look, or this many. */
const LEAST_SWEEP = 1024;

/**
 * Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). Waiting flows stand in a ring. On each visit a flow is
 * granted Q · wᵢ and served, first in first out, while its deficit covers its oldest request; then the next has its turn. A
 * flow that empties leaves the ring and loses its deficit; one that (re)appears joins at the end. A flow that is held or paused
 * leaves the ring too and is granted nothing meanwhile; one whose request did not fit comes back where it was, in front.
 *
 * What is promoted or settled goes off the deficit, which may then be negative: a debt that a flow keeps while it is away, less
 * its grants of the rounds that went by.
 *
 * For any two flows that wait throughout an interval, |servedᵢ/wᵢ − servedⱼ/wⱼ| ≤ Q + L/wᵢ + L/wⱼ, with L the largest
 * cost. O(1) amortised per call while each grant is at least the largest cost; smaller grants cost at most two passes
 * over the waiting flows per decision, since rounds that serve nobody are skipped by arithmetic. A request of cost 0 is
 * always covered.
 *
 * Throws `EVS_POLICY` when the quantum is not finite and positive.
 */
export class DeficitRoundRobinQueue<W extends Waiting<W>> extends FlowQueue<W, RingFlow<W>> {
  readonly #quantumCost: number;
  #front: RingFlow<W> | null = null;
  #back: RingFlow<W> | null = null;
  #ringLength = 0;
  #round = 1;
  /** How many flows are in mind for their debts alone, and how many make it worth looking through them. */
  #debtors = 0;
  #sweepAt = LEAST_SWEEP;

  constructor(quantumCost: number) {
    super();
    if (!(quantumCost > 0 && quantumCost < Number.POSITIVE_INFINITY))
      throw new EvenshareError('EVS_POLICY', `quantum ${quantumCost} would serve nobody: it must be a positive number`);
    this.#quantumCost = quantumCost;
  }

  /** What the flow may still spend on this visit or carries to the next, or owes; in cost units. */
  deficitOf(seat: Seat): number {
    return this.flowOf(seat)?.deficitCost ?? 0;
  }

  protected createFlow(seat: Seat, weight: number): RingFlow<W> {
    return new RingFlow<W>(seat, weight);
  }

  protected enter(flow: RingFlow<W>, entrance: Entrance): void {
    if (entrance === 'room') {
      this.#insertFront(flow);
      return;
    }
    if (entrance === 'first' && flow.deficitCost < 0) {
      this.#debtors--;
      this.#repay(flow);
    }
    // It has its first grant at the end of the round that is under way.
    flow.round = this.#round - 1;
    flow.granted = false;
    this.#insertBack(flow);
  }

  protected leave(flow: RingFlow<W>): void {
    if (flow.before === null) this.#front = flow.after;
    else flow.before.after = flow.after;
    if (flow.after === null) this.#back = flow.before;
    else flow.after.before = flow.before;
    flow.before = null;
    flow.after = null;
    this.#ringLength--;
    if (flow.waiting === 0) {
      flow.deficitCost = Math.min(flow.deficitCost, 0);
      flow.granted = false;
    }
  }

  protected first(freeSlots: number, evenPaused: boolean): RingFlow<W> | null {
    let visitsInVain = 0;
    for (;;) {
      const front = this.#front;
      if (front === null) return null;
      const entry = front.candidate(freeSlots, evenPaused);
      if (entry === null) return front;
      if (!front.granted) {
        if (front.round === this.#round) this.#round++;
        front.round = this.#round;
        front.deficitCost += this.#quantumCost * front.weight;
        front.granted = true;
      }
      if (entry.cost * (1 - ROUNDING_RATIO) <= front.deficitCost) return front;
      this.#passOn(front);
      visitsInVain++;
      if (visitsInVain >= this.#ringLength) {
        this.#skipRounds(freeSlots, evenPaused);
        visitsInVain = 0;
      }
    }
  }

  protected served(flow: RingFlow<W>, entry: W): void {
    flow.deficitCost -= entry.cost;
  }

  protected withdrew(flow: RingFlow<W>, entry: W, charged: boolean): void {
    if (charged) flow.deficitCost -= entry.cost;
  }

  settle(entry: W, cost: number): void {
    if (cost === 0) return;
    const flow = this.flowOf(entry.seat);
    if (flow !== null && flow.waiting > 0) {
      flow.deficitCost -= cost;
      return;
    }
    if (flow !== null) this.#repay(flow);
    // What a flow without anything waiting would be given back is lost like any other deficit.
    const deficitCost = Math.min(0, (flow?.deficitCost ?? 0) - cost);
    if (flow !== null) flow.deficitCost = deficitCost;
    else if (deficitCost < 0) this.#owe(entry, deficitCost);
  }

  protected override keeps(flow: RingFlow<W>): boolean {
    if (flow.deficitCost >= 0) return false;
    flow.round = this.#round;
    this.#debtors++;
    this.#sweepDebtors();
    return true;
  }

  protected forget(): void {
    this.#round = 1;
    this.#debtors = 0;
    this.#sweepAt = LEAST_SWEEP;
  }

  #owe(entry: W, deficitCost: number): void {
    const flow = this.begin(entry);
    flow.deficitCost = deficitCost;
    this.keeps(flow);
  }

  /** The grants of the rounds that went by since pay off its debt. */
  #repay(flow: RingFlow<W>): void {
    flow.deficitCost = Math.min(0, flow.deficitCost + (this.#round - flow.round) * this.#quantumCost * flow.weight);
    flow.round = this.#round;
  }

  /** Drops those whose debts are paid, now and then: O(1) amortised. */
  #sweepDebtors(): void {
    if (this.#debtors < this.#sweepAt) return;
    this.#debtors = 0;
    for (const flow of this.flows) {
      if (flow.waiting > 0) continue;
      this.#repay(flow);
      if (flow.deficitCost < 0) this.#debtors++;
      else this.drop(flow);
    }
    this.#sweepAt = Math.max(LEAST_SWEEP, 2 * this.#debtors);
  }

  #insertFront(flow: RingFlow<W>): void {
    flow.after = this.#front;
    if (this.#front === null) this.#back = flow;
    else this.#front.before = flow;
    this.#front = flow;
    this.#ringLength++;
  }

  #insertBack(flow: RingFlow<W>): void {
    flow.before = this.#back;
    if (this.#back === null) this.#front = flow;
    else this.#back.after = flow;
    this.#back = flow;
    this.#ringLength++;
  }

  /** Ends the visit of the flow in front: it goes to the end of the ring and keeps its deficit. */
  #passOn(front: RingFlow<W>): void {
    front.granted = false;
    if (front.after === null) return;
    this.#front = front.after;
    this.#front.before = null;
    front.after = null;
    front.before = this.#back;
    if (this.#back !== null) this.#back.after = front;
    this.#back = front;
  }

  /** After a round that served nobody: grants at once all rounds that would serve nobody either. */
  #skipRounds(freeSlots: number, evenPaused: boolean): void {
    let idleRounds = Number.POSITIVE_INFINITY;
    for (let flow = this.#front; flow !== null; flow = flow.after) {
      const entry = flow.candidate(freeSlots, evenPaused);
      if (entry === null) continue;
      const grantCost = this.#quantumCost * flow.weight;
      idleRounds = Math.min(
        idleRounds,
        Math.ceil((entry.cost * (1 - ROUNDING_RATIO) - flow.deficitCost) / grantCost) - 1,
      );
    }
    if (idleRounds <= 0 || idleRounds === Number.POSITIVE_INFINITY) return;
    for (let flow = this.#front; flow !== null; flow = flow.after) {
      flow.deficitCost += idleRounds * this.#quantumCost * flow.weight;
      flow.round += idleRounds;
    }
    this.#round += idleRounds;
  }
}
