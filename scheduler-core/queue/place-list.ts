/** What stands in a `PlaceList`. */
export interface Placed {
  /** Where; the list's own. −1: in none. */
  place: number;
}

/**
 * Members in no order that matters, each of which knows its place: adding and removing cost no look-up. The order follows from
 * the calls alone.
 */
export class PlaceList<T extends Placed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Nothing happens for one that is in no list. */
  delete(member: T): void {
    if (member.place < 0) return;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[member.place] = last;
      last.place = member.place;
    }
    member.place = -1;
  }

  clear(): void {
    for (const member of this.#members) member.place = -1;
    this.#members.length = 0;
  }

  /** From the last to the first, so that the one that is being looked at may be deleted. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let place = this.#members.length - 1; place >= 0; place--) {
      const member = this.#members[place];
      if (member !== undefined) yield member;
    }
  }
}
