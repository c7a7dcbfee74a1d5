/** What stands in a `FlowHeap`. Tag and tie may change while it does; `update` must then be called. */
export interface Tagged {
  tag: number;
  /** Decides between equal tags; unique among equal tags. */
  readonly tie: number;
  /** Its place in the heap, which is the heap's; −1 outside. */
  heapIndex: number;
}

/** Children per node: shallower than two, and the children lie side by side in memory. */
const ARITY = 4;
const INITIAL_CAPACITY = 16;

/**
 * A min-heap by (tag, tie) whose members can be moved or removed in O(log n). Tags, ties and places lie in arrays of numbers:
 * with a hundred thousand members, to look each up in its own object would cost several times as much.
 *
 * A member has a slot (its `heapIndex`) while it is in; the heap orders slots.
 */
export class FlowHeap<T extends Tagged> {
  readonly #members: (T | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  #size = 0;
  /** By place. */
  #tags = new Float64Array(INITIAL_CAPACITY);
  #ties = new Float64Array(INITIAL_CAPACITY);
  #slots = new Int32Array(INITIAL_CAPACITY);
  /** By slot. */
  #places = new Int32Array(INITIAL_CAPACITY);

  get size(): number {
    return this.#size;
  }

  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#members[this.#slots[0] ?? 0];
  }

  push(member: T): void {
    const slot = this.#freeSlots.pop() ?? this.#members.length;
    if (slot === this.#places.length) this.#grow();
    this.#members[slot] = member;
    member.heapIndex = slot;
    this.#rise(this.#size++, slot, member.tag, member.tie);
  }

  remove(member: T): void {
    const slot = member.heapIndex;
    const place = this.#places[slot] ?? 0;
    member.heapIndex = -1;
    this.#members[slot] = undefined;
    this.#freeSlots.push(slot);
    const last = --this.#size;
    if (place === last) return;
    this.#settle(place, this.#slots[last] ?? 0, this.#tags[last] ?? 0, this.#ties[last] ?? 0);
  }

  /** Moves a member to where its tag belongs now. */
  update(member: T): void {
    this.#settle(this.#places[member.heapIndex] ?? 0, member.heapIndex, member.tag, member.tie);
  }

  /** All tags are so much less; the members' own have been changed by the owner. */
  rebase(amount: number): void {
    for (let place = 0; place < this.#size; place++) this.#tags[place] = (this.#tags[place] ?? 0) - amount;
  }

  #settle(place: number, slot: number, tag: number, tie: number): void {
    const parent = (place - 1) >> 2;
    if (place > 0 && isBefore(tag, tie, this.#tags[parent] ?? 0, this.#ties[parent] ?? 0)) {
      this.#rise(place, slot, tag, tie);
    } else this.#sink(place, slot, tag, tie);
  }

  #rise(from: number, slot: number, tag: number, tie: number): void {
    const tags = this.#tags;
    const ties = this.#ties;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!isBefore(tag, tie, tags[parent] ?? 0, ties[parent] ?? 0)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, slot, tag, tie);
  }

  #sink(from: number, slot: number, tag: number, tie: number): void {
    const tags = this.#tags;
    const ties = this.#ties;
    const size = this.#size;
    let place = from;
    for (;;) {
      const first = ARITY * place + 1;
      if (first >= size) break;
      let best = first;
      let bestTag = tags[first] ?? 0;
      let bestTie = ties[first] ?? 0;
      const end = Math.min(first + ARITY, size);
      for (let child = first + 1; child < end; child++) {
        const childTag = tags[child] ?? 0;
        const childTie = ties[child] ?? 0;
        if (!isBefore(childTag, childTie, bestTag, bestTie)) continue;
        best = child;
        bestTag = childTag;
        bestTie = childTie;
      }
      if (!isBefore(bestTag, bestTie, tag, tie)) break;
      this.#move(best, place);
      place = best;
    }
    this.#put(place, slot, tag, tie);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#slots[from] ?? 0, this.#tags[from] ?? 0, this.#ties[from] ?? 0);
  }

  #put(place: number, slot: number, tag: number, tie: number): void {
    this.#tags[place] = tag;
    this.#ties[place] = tie;
    this.#slots[place] = slot;
    this.#places[slot] = place;
  }

  #grow(): void {
    const capacity = 2 * this.#places.length;
    const tags = new Float64Array(capacity);
    const ties = new Float64Array(capacity);
    const slots = new Int32Array(capacity);
    const places = new Int32Array(capacity);
    tags.set(this.#tags);
    ties.set(this.#ties);
    slots.set(this.#slots);
    places.set(this.#places);
    this.#tags = tags;
    this.#ties = ties;
    this.#slots = slots;
    this.#places = places;
  }
}

function isBefore(tag: number, tie: number, otherTag: number, otherTie: number): boolean {
  return tag < otherTag || (tag === otherTag && tie < otherTie);
}
