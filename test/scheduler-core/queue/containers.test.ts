import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryHeap } from '../../../scheduler-core/queue/binary-heap.ts';

/** A number: put it in. Null: take one out. */
const steps = fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { maxLength: 200 });

describe('binary heap', () => {
  it('gives back what a sorted array would, ties by sequence', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        const heap = new BinaryHeap<{ value: number; sequence: number }>(
          (left, right) => left.value < right.value || (left.value === right.value && left.sequence < right.sequence),
        );
        let array: { value: number; sequence: number }[] = [];
        for (const [sequence, value] of drawn.entries()) {
          if (value === null) {
            expect(heap.pop()).toBe(array.shift());
          } else {
            const entry = { value, sequence };
            heap.push(entry);
            // Array.prototype.sort is stable, so equal values stay in order of sequence.
            array = [...array, entry].sort((left, right) => left.value - right.value);
          }
          expect(heap.peek()).toBe(array[0]);
          expect(heap.size).toBe(array.length);
        }
      }),
    );
  });
});
