/**
 * A min-heap: `pop` gives a value that no other comes before. O(log n). `before` must be a strict total order (break
 * ties by sequence), else equal values come out in an order that depends on history.
 */
export class BinaryHeap<T extends object> {
  readonly #values: T[] = [];
  readonly #before: (left: T, right: T) => boolean;

  constructor(before: (left: T, right: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#values.length;
  }

  /** The first value, left where it is; undefined when there is none. */
  peek(): T | undefined {
    return this.#values[0];
  }

  push(value: T): void {
    const values = this.#values;
    let index = values.length;
    values.push(value);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = values[parentIndex];
      if (parent === undefined || !this.#before(value, parent)) break;
      values[index] = parent;
      index = parentIndex;
    }
    values[index] = value;
  }

  /** Removes and returns the first value; undefined when there is none. */
  pop(): T | undefined {
    const first = this.#values[0];
    const last = this.#values.pop();
    if (last !== undefined && this.#values.length > 0) this.#sink(last);
    return first;
  }

  /** Puts a value in at the top and moves it down to where it belongs. */
  #sink(value: T): void {
    const values = this.#values;
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = values[childIndex];
      if (child === undefined) break;
      const right = values[childIndex + 1];
      if (right !== undefined && this.#before(right, child)) {
        childIndex++;
        child = right;
      }
      if (!this.#before(child, value)) break;
      values[index] = child;
      index = childIndex;
    }
    values[index] = value;
  }
}
