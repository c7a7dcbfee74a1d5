const INITIAL_CAPACITY = 8;

/**
 * A first-in-first-out list with O(1) amortised `push` and O(1) `shift`. Its memory is that of the greatest length it
 * ever had. Bounds are the owner's business.
 */
export class RingBuffer<T extends object> {
  #cells: (T | undefined)[] = new Array<T | undefined>(INITIAL_CAPACITY).fill(undefined);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: T): void {
    if (this.#length === this.#cells.length) this.#grow();
    this.#cells[(this.#head + this.#length) % this.#cells.length] = value;
    this.#length++;
  }

  /** The oldest value, left where it is; undefined when there is none. */
  peek(): T | undefined {
    return this.#cells[this.#head];
  }

  /** Removes and returns the oldest value; undefined when there is none. */
  shift(): T | undefined {
    const value = this.#cells[this.#head];
    if (value === undefined) return undefined;
    this.#cells[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#cells.length;
    this.#length--;
    return value;
  }

  /** Oldest first. The list must not change meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let index = 0; index < this.#length; index++) {
      const value = this.#cells[(this.#head + index) % this.#cells.length];
      if (value !== undefined) yield value;
    }
  }

  #grow(): void {
    const cells = new Array<T | undefined>(2 * this.#cells.length).fill(undefined);
    let index = 0;
    for (const value of this) cells[index++] = value;
    this.#cells = cells;
    this.#head = 0;
  }
}
