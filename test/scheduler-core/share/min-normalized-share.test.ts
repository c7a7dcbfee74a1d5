import { describe, expect, it } from 'vitest';
import { minNormalizedShare } from '../../../scheduler-core/index.ts';

describe('minimum normalized share', () => {
  it.each([
    { why: 'nobody', served: [], shares: [], expected: null },
    { why: 'nobody with a share', served: [3, 0], shares: [0, 0], expected: null },
    { why: 'a starved tenant counts as 0', served: [5, 0], shares: [5, 5], expected: { value: 0, index: 1 } },
    { why: 'the first of equals', served: [1, 2, 1], shares: [2, 2, 2], expected: { value: 0.5, index: 0 } },
    { why: 'a tenant without a share is left out', served: [0, 3], shares: [0, 2], expected: { value: 1.5, index: 1 } },
  ])('$why', ({ served, shares, expected }) => {
    expect(minNormalizedShare(served, shares)).toEqual(expected);
  });
});
