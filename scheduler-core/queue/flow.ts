import type { Placed } from './place-list.ts';
import type { Seat, Waiting } from './waiting.ts';

/** Requests of one flow that need the same slots and are of the same class, first in first out. */
export class Lane<W extends Waiting<W>> {
  slots: number;
  className: string | null;
  paused = false;
  head: W | null = null;
  #tail: W | null = null;

  constructor(slots: number, className: string | null) {
    this.slots = slots;
    this.className = className;
  }

  protected append(entry: W): void {
    entry.lane = this;
    const tail = this.#tail;
    entry.previous = tail;
    if (tail === null) this.head = entry;
    else tail.next = entry;
    this.#tail = entry;
  }

  protected cut(entry: W): void {
    const { previous, next } = entry;
    if (previous === null) this.head = next;
    else previous.next = next;
    if (next === null) this.#tail = previous;
    else next.previous = previous;
    entry.lane = null;
    entry.previous = null;
    entry.next = null;
  }
}

/** A lane beside the first one of its flow. */
class SideLane<W extends Waiting<W>> extends Lane<W> {
  override append(entry: W): void {
    super.append(entry);
  }

  override cut(entry: W): void {
    super.cut(entry);
  }
}

/**
 * Who shares: the waiting requests of one tenant (class, shard). First in, first out among those that fit and may go; a
 * request that needs more slots than are free, or whose class is paused, blocks only its like.
 *
 * Most flows hold requests of one kind: the flow is their lane itself, and others have lanes beside it.
 */
export class Flow<W extends Waiting<W>> extends Lane<W> implements Placed {
  place = -1;
  readonly seat: Seat;
  /** Of the latest arrival. */
  weight: number;
  waiting = 0;
  waitingCost = 0;
  /** Held back by its owner (a quota): none of its requests may go. */
  held = false;
  /** Out of turn, since none of its requests may go now. */
  parked = false;
  /** While parked for want of room: how many free slots let it go on. */
  neededSlots = 0;
  #sides: SideLane<W>[] | null = null;

  constructor(seat: Seat, weight: number) {
    super(1, null);
    this.seat = seat;
    this.weight = weight;
  }

  add(entry: W, pausedClasses: ReadonlySet<string>): void {
    if (this.waiting === 0) this.#become(this, entry, pausedClasses);
    if (entry.slots === this.slots && entry.className === this.className) this.append(entry);
    else this.#sideOf(entry, pausedClasses).append(entry);
    this.weight = entry.weight;
    this.waiting++;
    this.waitingCost += entry.cost;
  }

  unlink(entry: W): void {
    if (entry.lane === this) this.cut(entry);
    else this.#cutFromSide(entry);
    this.waiting--;
    // Sums of rounded figures drift; an empty flow has none.
    this.waitingCost = this.waiting === 0 ? 0 : this.waitingCost - entry.cost;
  }

  /** The oldest request of all; null when none waits. */
  oldest(): W | null {
    let first = this.head;
    if (this.#sides === null) return first;
    for (const { head } of this.#sides) {
      if (head !== null && (first === null || head.sequence < first.sequence)) first = head;
    }
    return first;
  }

  /** The oldest request that may go and needs no more slots; null when there is none. */
  candidate(freeSlots: number, evenPaused: boolean): W | null {
    if (this.held) return null;
    let first = mayGo(this, freeSlots, evenPaused) ? this.head : null;
    if (this.#sides === null) return first;
    for (const side of this.#sides) {
      const { head } = side;
      if (head === null || !mayGo(side, freeSlots, evenPaused)) continue;
      if (first === null || head.sequence < first.sequence) first = head;
    }
    return first;
  }

  /** The least free slots with which it has a candidate; Infinity while it is held or all of it is paused. */
  leastSlots(): number {
    let least = Number.POSITIVE_INFINITY;
    if (this.held) return least;
    for (const lane of this.#lanes()) if (lane.head !== null && !lane.paused) least = Math.min(least, lane.slots);
    return least;
  }

  /** Every waiting request, lane by lane. */
  *entries(): Generator<W, void, undefined> {
    for (const lane of this.#lanes()) for (let entry = lane.head; entry !== null; entry = entry.next) yield entry;
  }

  setPaused(className: string, paused: boolean): void {
    for (const lane of this.#lanes()) if (lane.className === className) lane.paused = paused;
  }

  #lanes(): readonly Lane<W>[] {
    return this.#sides === null ? [this] : [this, ...this.#sides];
  }

  #become(lane: Lane<W>, entry: W, pausedClasses: ReadonlySet<string>): void {
    lane.slots = entry.slots;
    lane.className = entry.className;
    lane.paused = entry.className !== null && pausedClasses.has(entry.className);
  }

  #sideOf(entry: W, pausedClasses: ReadonlySet<string>): SideLane<W> {
    this.#sides ??= [];
    for (const side of this.#sides) if (side.slots === entry.slots && side.className === entry.className) return side;
    const side = new SideLane<W>(entry.slots, entry.className);
    this.#become(side, entry, pausedClasses);
    this.#sides.push(side);
    return side;
  }

  #cutFromSide(entry: W): void {
    const sides = this.#sides ?? [];
    const side = sides.find((each) => each === entry.lane);
    if (side === undefined) return;
    side.cut(entry);
    if (side.head !== null) return;
    sides.splice(sides.indexOf(side), 1);
    if (sides.length === 0) this.#sides = null;
  }
}

function mayGo<W extends Waiting<W>>(lane: Lane<W>, freeSlots: number, evenPaused: boolean): boolean {
  return lane.slots <= freeSlots && (evenPaused || !lane.paused);
}
