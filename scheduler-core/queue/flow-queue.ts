import { assertInvariant } from '../kernel/index.ts';
import type { Flow } from './flow.ts';
import { PlaceList } from './place-list.ts';
import type { QueueDiscipline } from './queue-discipline.ts';
import type { Seat, Waiting } from './waiting.ts';

/**
 * How a flow comes into turn: with its first request; because there is room for it again (it was first and did not fit); or
 * because it is no longer held or paused, which must have gained it nothing.
 */
export type Entrance = 'first' | 'room' | 'release';

/**
 * What all disciplines with flows have in common: flows and their requests, those out of turn (held, paused, too large for
 * the free slots), sums. A discipline says in which order the flows in turn are served.
 *
 * A flow in turn has something waiting and is not parked. It is parked when it comes first and has no request that may
 * go, and comes back as soon as it may have one; while parked it costs nothing per decision.
 */
export abstract class FlowQueue<W extends Waiting<W>, F extends Flow<W> = Flow<W>> implements QueueDiscipline<W> {
  /** Flows with something waiting, and those of which the discipline remembers something. */
  protected readonly flows = new PlaceList<F>();
  readonly #parked = new Set<F>();
  readonly #pausedClasses = new Set<string>();
  /** The least of the slots that parked flows need. */
  #parkedSlots = Number.POSITIVE_INFINITY;
  #size = 0;
  #waitingCost = 0;
  /** Σ weight of the flows that wait. */
  #waitingWeight = 0;

  get size(): number {
    return this.#size;
  }

  /** Flows with something waiting, and those of which something is remembered. */
  get flowsInMind(): number {
    return this.flows.size;
  }

  get waitingCost(): number {
    return this.#waitingCost;
  }

  protected abstract createFlow(seat: Seat, weight: number): F;
  protected abstract enter(flow: F, entrance: Entrance): void;
  /** The flow is out of turn: it is parked or has nothing waiting. */
  protected abstract leave(flow: F): void;
  /** The flow in turn that comes first; null when there is none. */
  protected abstract first(freeSlots: number, evenPaused: boolean): F | null;
  /** The entry was taken in turn and is no longer in the flow, which may be empty now; it is still in turn. */
  protected abstract served(flow: F, entry: W): void;
  /** The entry left out of turn and pays for it when `charged`; the flow may be empty or parked now. */
  protected abstract withdrew(flow: F, entry: W, charged: boolean): void;
  /** An entry was added to a flow in turn. */
  protected added(_flow: F, _entry: W): void {}
  /** Nothing of the flow waits any more; whether the discipline keeps it in mind all the same. */
  protected keeps(_flow: F): boolean {
    return false;
  }
  /** The discipline has the flow in mind no longer. */
  protected drop(flow: F): void {
    this.flows.delete(flow);
    flow.seat.flow = null;
  }
  abstract settle(entry: W, cost: number): void;
  protected abstract forget(): void;

  /** A seat's flow in this queue; null: nothing of it is in mind. */
  protected flowOf(seat: Seat): F | null {
    // A queue puts only its own flows into seats, and a seat belongs to one queue.
    return seat.flow as F | null;
  }

  /** Has a flow in mind from now on. */
  protected begin(entry: W): F {
    const flow = this.createFlow(entry.seat, entry.weight);
    entry.seat.flow = flow;
    this.flows.add(flow);
    return flow;
  }

  push(entry: W): void {
    const { cost } = entry;
    assertInvariant(
      cost >= 0 && cost < Number.POSITIVE_INFINITY,
      () => `a cost must be finite and at least 0, not ${cost}`,
    );
    const flow = this.flowOf(entry.seat) ?? this.begin(entry);
    const wasEmpty = flow.waiting === 0;
    this.#waitingWeight += entry.weight - (wasEmpty ? 0 : flow.weight);
    flow.add(entry, this.#pausedClasses);
    this.#size++;
    this.#waitingCost += cost;
    if (wasEmpty) this.enter(flow, 'first');
    else if (flow.parked) this.#unpark(flow, 'room');
    else this.added(flow, entry);
  }

  take(freeSlots: number, evenPaused = false): W | null {
    if (this.#size === 0) return null;
    if (this.#parked.size > 0 && (evenPaused || freeSlots >= this.#parkedSlots))
      this.#unparkThatFit(freeSlots, evenPaused);
    for (;;) {
      const flow = this.first(freeSlots, evenPaused);
      if (flow === null) return null;
      const entry = flow.candidate(freeSlots, evenPaused);
      if (entry === null) {
        this.#park(flow);
        continue;
      }
      this.#unlink(flow, entry);
      this.served(flow, entry);
      if (flow.waiting === 0) this.#emptied(flow);
      return entry;
    }
  }

  withdraw(entry: W, charged: boolean): void {
    const flow = this.flowOf(entry.seat);
    if (flow === null || entry.lane === null) return;
    this.#unlink(flow, entry);
    this.withdrew(flow, entry, charged);
    if (flow.waiting > 0) return;
    if (flow.parked) {
      this.#parked.delete(flow);
      flow.parked = false;
      if (!this.keeps(flow)) this.drop(flow);
    } else this.#emptied(flow);
  }

  oldestOf(seat: Seat): W | null {
    return this.flowOf(seat)?.oldest() ?? null;
  }

  setHeld(seat: Seat, held: boolean): void {
    const flow = this.flowOf(seat);
    if (flow === null || flow.held === held) return;
    flow.held = held;
    if (held && !flow.parked) this.#park(flow);
    else if (!held && flow.parked) this.#unpark(flow, 'release');
  }

  setPaused(className: string, paused: boolean): void {
    if (paused) this.#pausedClasses.add(className);
    else this.#pausedClasses.delete(className);
    for (const flow of this.flows) {
      flow.setPaused(className, paused);
      if (!paused && flow.parked) this.#unpark(flow, 'release');
    }
  }

  /** A flow is served its weight's part of what is taken while it waits, and never waits for more than there is. */
  costAhead({ seat, weight, cost }: W): number {
    const flow = this.flowOf(seat);
    const own = flow === null ? 0 : flow.waitingCost;
    const others = this.#waitingWeight - (flow === null || flow.waiting === 0 ? 0 : flow.weight);
    return own + Math.min(this.#waitingCost - own, ((own + cost) * others) / weight);
  }

  reset(): void {
    assertInvariant(this.#size === 0, 'a queue is reset only while nobody waits');
    for (const flow of this.flows) flow.seat.flow = null;
    this.flows.clear();
    this.#waitingCost = 0;
    this.#waitingWeight = 0;
    this.forget();
  }

  #unlink(flow: F, entry: W): void {
    flow.unlink(entry);
    this.#size--;
    this.#waitingCost = this.#size === 0 ? 0 : this.#waitingCost - entry.cost;
    if (flow.waiting === 0) this.#waitingWeight = this.#size === 0 ? 0 : this.#waitingWeight - flow.weight;
  }

  #emptied(flow: F): void {
    this.leave(flow);
    if (!this.keeps(flow)) this.drop(flow);
  }

  #park(flow: F): void {
    this.leave(flow);
    flow.parked = true;
    flow.neededSlots = flow.leastSlots();
    this.#parked.add(flow);
    this.#parkedSlots = Math.min(this.#parkedSlots, flow.neededSlots);
  }

  #unpark(flow: F, entrance: Entrance): void {
    this.#parked.delete(flow);
    flow.parked = false;
    this.enter(flow, entrance);
  }

  #unparkThatFit(freeSlots: number, evenPaused: boolean): void {
    let least = Number.POSITIVE_INFINITY;
    // The last to be parked comes back first to stand before the others, so that the first stands first.
    for (const flow of [...this.#parked].reverse()) {
      if (flow.neededSlots <= freeSlots) this.#unpark(flow, 'room');
      else if (evenPaused && flow.candidate(freeSlots, true) !== null) this.#unpark(flow, 'room');
      else least = Math.min(least, flow.neededSlots);
    }
    this.#parkedSlots = least;
  }
}
