/**
 * A min-heap of small whole numbers (indexes of something), each with a key: the least key first, ties to the smaller
 * number. O(log n). A number may be in it once. Keys are not NaN.
 */
export class KeyHeap {
  readonly #members: number[] = [];
  readonly #keys: Float64Array;

  /** @param capacity numbers lie in 0 … capacity − 1. */
  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  get size(): number {
    return this.#members.length;
  }

  /** The first number, left where it is; null when there is none. */
  peek(): number | null {
    return this.#members[0] ?? null;
  }

  /** The first number's key; Infinity when there is none. */
  peekKey(): number {
    const first = this.#members[0];
    return first === undefined ? Number.POSITIVE_INFINITY : this.#key(first);
  }

  push(member: number, key: number): void {
    this.#keys[member] = key;
    const members = this.#members;
    let place = members.length;
    members.push(member);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = members[above] ?? 0;
      if (!this.#isBefore(member, parent)) break;
      members[place] = parent;
      place = above;
    }
    members[place] = member;
  }

  /** Removes and returns the first number; null when there is none. */
  pop(): number | null {
    const first = this.#members[0] ?? null;
    const last = this.#members.pop();
    if (last !== undefined && this.#members.length > 0) this.#sink(last);
    return first;
  }

  /** Gives the first number another key. */
  rekeyFirst(key: number): void {
    const first = this.#members[0];
    if (first === undefined) return;
    this.#keys[first] = key;
    this.#sink(first);
  }

  #sink(member: number): void {
    const members = this.#members;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= members.length) break;
      const right = below + 1;
      if (right < members.length && this.#isBefore(members[right] ?? 0, members[below] ?? 0)) below = right;
      const child = members[below] ?? 0;
      if (!this.#isBefore(child, member)) break;
      members[place] = child;
      place = below;
    }
    members[place] = member;
  }

  #isBefore(left: number, right: number): boolean {
    const difference = this.#key(left) - this.#key(right);
    return difference !== 0 ? difference < 0 : left < right;
  }

  #key(member: number): number {
    return this.#keys[member] ?? Number.POSITIVE_INFINITY;
  }
}
