/** What an `AgeIndex` needs to know of a waiting request. The links are the index's. */
export interface Aged<E extends Aged<E>> {
  readonly offeredAtMs: number;
  readonly weight: number;
  readonly slots: number;
  readonly className: string | null;
  /** Order of arrival, unique. */
  readonly sequence: number;
  ageList: AgeList<E> | null;
  older: E | null;
  younger: E | null;
}

/** Waiting requests alike in weight, slots and class, the oldest first. */
export class AgeList<E extends Aged<E>> {
  readonly weight: number;
  readonly slots: number;
  readonly className: string | null;
  oldest: E | null = null;
  /** The oldest that was not passed over. */
  due: E | null = null;
  youngest: E | null = null;

  constructor(weight: number, slots: number, className: string | null) {
    this.weight = weight;
    this.slots = slots;
    this.className = className;
  }
}

/**
 * Waiting requests by age. Among requests of one weight the oldest is always the worst off, so the one that waited longest
 * for its weight is found among the oldest of each kind (weight, slots, class): O(kinds), whatever waits. Adding and
 * removing are O(1) for a kind that was used last, else O(kinds).
 */
export class AgeIndex<E extends Aged<E>> {
  readonly #lists = new Set<AgeList<E>>();
  #latest: AgeList<E> | null = null;

  /** Entries must come in order of `offeredAtMs`. */
  add(entry: E): void {
    const list = this.#listOf(entry);
    entry.ageList = list;
    entry.older = list.youngest;
    if (list.youngest === null) list.oldest = entry;
    else list.youngest.younger = entry;
    list.youngest = entry;
    list.due ??= entry;
  }

  /** Nothing happens for an entry that is not in it. */
  remove(entry: E): void {
    const list = entry.ageList;
    if (list === null) return;
    if (list.due === entry) list.due = entry.younger;
    if (entry.older === null) list.oldest = entry.younger;
    else entry.older.younger = entry.younger;
    if (entry.younger === null) list.youngest = entry.older;
    else entry.younger.older = entry.older;
    entry.ageList = null;
    entry.older = null;
    entry.younger = null;
    if (list.oldest !== null) return;
    this.#lists.delete(list);
    if (this.#latest === list) this.#latest = null;
  }

  /** `mostOverdue` is not to name this request, which it has named, again: its tenant may not be promoted any more. */
  passOver(entry: E): void {
    const list = entry.ageList;
    if (list?.due === entry) list.due = entry.younger;
  }

  /**
   * The request with the greatest wait ÷ weight among those that waited `maxWaitMs` and more and may go; ties: the one that
   * came first. Null when none is due.
   */
  mostOverdue(nowMs: number, maxWaitMs: number, mayGo: (list: AgeList<E>) => boolean): E | null {
    let worst: E | null = null;
    let worstScore = Number.NEGATIVE_INFINITY;
    for (const list of this.#lists) {
      const { due } = list;
      if (due === null) continue;
      const waitMs = nowMs - due.offeredAtMs;
      if (waitMs < maxWaitMs || !mayGo(list)) continue;
      const score = waitMs / list.weight;
      if (score < worstScore || (score === worstScore && worst !== null && due.sequence > worst.sequence)) continue;
      worst = due;
      worstScore = score;
    }
    return worst;
  }

  /** The request that came first among the kinds that may go; null when there is none. */
  oldest(mayGo: (list: AgeList<E>) => boolean): E | null {
    let first: E | null = null;
    for (const list of this.#lists) {
      const { oldest } = list;
      if (oldest === null || !mayGo(list)) continue;
      if (first === null || oldest.sequence < first.sequence) first = oldest;
    }
    return first;
  }

  /** How many requests of the class were offered at `untilMs` or before. O(their number). */
  countOfClass(className: string, untilMs: number): number {
    let count = 0;
    for (const list of this.#lists) {
      if (list.className !== className) continue;
      for (let entry = list.oldest; entry !== null && entry.offeredAtMs <= untilMs; entry = entry.younger) count++;
    }
    return count;
  }

  #listOf(entry: E): AgeList<E> {
    if (this.#latest !== null && isKind(this.#latest, entry)) return this.#latest;
    for (const list of this.#lists) {
      if (!isKind(list, entry)) continue;
      this.#latest = list;
      return list;
    }
    const list = new AgeList<E>(entry.weight, entry.slots, entry.className);
    this.#lists.add(list);
    this.#latest = list;
    return list;
  }
}

function isKind<E extends Aged<E>>(list: AgeList<E>, entry: Aged<E>): boolean {
  return list.weight === entry.weight && list.slots === entry.slots && list.className === entry.className;
}
