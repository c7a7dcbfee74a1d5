import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { maxMinFairShare } from '../../../scheduler-core/index.ts';

interface Vector {
  readonly demands: readonly number[];
  readonly weights?: readonly number[];
  readonly capacity: number;
  readonly expected: readonly number[];
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/max-min.json', import.meta.url), 'utf8'),
);

describe('max-min shares', () => {
  it.each(vectors.cases)('published: $demands of $capacity', ({ demands, weights, capacity, expected }) => {
    const { shares } = maxMinFairShare(demands, capacity, weights);
    expect(shares.length).toBe(expected.length);
    for (const [index, share] of expected.entries()) expect(shares[index]).toBeCloseTo(share, 9);
  });

  const infinite = Number.POSITIVE_INFINITY;
  it.each([
    { why: 'nobody there', demands: [], capacity: 5, shares: [], level: infinite },
    { why: 'nothing to share', demands: [1, 2], capacity: 0, shares: [0, 0], level: 0 },
    { why: 'room for all, no level', demands: [1, 2], capacity: 3, shares: [1, 2], level: infinite },
    { why: 'a boundless demand takes what is left', demands: [infinite, 3], capacity: 10, shares: [7, 3], level: 7 },
    {
      why: 'two boundless demands halve it',
      demands: [infinite, infinite, 2],
      capacity: 10,
      shares: [4, 4, 2],
      level: 4,
    },
    {
      why: 'boundless capacity grants even the boundless',
      demands: [infinite, 3],
      capacity: infinite,
      shares: [infinite, 3],
      level: infinite,
    },
    {
      why: 'equal demand per weight fills all at once',
      demands: [2, 4, 8],
      weights: [1, 2, 4],
      capacity: 7,
      shares: [1, 2, 4],
      level: 1,
    },
    {
      why: 'weight 0 gets nothing while another wants more',
      demands: [5, 5],
      weights: [1, 0],
      capacity: 4,
      shares: [4, 0],
      level: 4,
    },
    {
      why: 'weight 0 shares equally in what is left',
      demands: [5, 9, 1],
      weights: [1, 0, 0],
      capacity: 11,
      shares: [5, 5, 1],
      level: infinite,
    },
    { why: 'nobody has weight', demands: [5, 1], weights: [0, 0], capacity: 4, shares: [3, 1], level: infinite },
    {
      why: 'boundless capacity beside weight 0',
      demands: [infinite, 5],
      weights: [1, 0],
      capacity: infinite,
      shares: [infinite, 5],
      level: infinite,
    },
    {
      why: 'a boundless demand leaves weight 0 nothing',
      demands: [infinite, 5],
      weights: [1, 0],
      capacity: 9,
      shares: [9, 0],
      level: 9,
    },
  ] as readonly {
    why: string;
    demands: number[];
    weights?: number[];
    capacity: number;
    shares: number[];
    level: number;
  }[])('$why', ({ demands, weights, capacity, shares, level }) => {
    expect(maxMinFairShare(demands, capacity, weights)).toEqual({ shares, waterLevel: level });
  });

  it.each([
    { why: 'a negative capacity', demands: [1], capacity: -1, weights: [1] },
    { why: 'a capacity that is no number', demands: [1], capacity: Number.NaN, weights: [1] },
    { why: 'a negative demand', demands: [-1], capacity: 1, weights: [1] },
    { why: 'a demand that is no number', demands: [Number.NaN], capacity: 1, weights: [1] },
    { why: 'a negative weight', demands: [1], capacity: 1, weights: [-1] },
    { why: 'a weight that is no number', demands: [1], capacity: 1, weights: [Number.NaN] },
    { why: 'a boundless weight', demands: [1, 1], capacity: 1, weights: [infinite, 1] },
  ])('refuses $why', ({ demands, capacity, weights }) => {
    expect(() => maxMinFairShare(demands, capacity, weights)).toThrow(
      expect.objectContaining({ code: 'EVS_INVARIANT' }),
    );
  });

  it.each([
    { why: 'by a unit in the last place', demands: [3.2, 7.8, 6.1, 0.1], capacity: 17.2 },
    { why: 'as added up in their order only', demands: [7.199999999999999, 8.9, 7.1, 4.5], capacity: 27.7 },
  ])('takes next to nothing from the largest where demands exceed the capacity $why', ({ demands, capacity }) => {
    const { shares } = maxMinFairShare(demands, capacity);
    for (const [index, demand] of demands.entries()) expect(shares[index]).toBeCloseTo(demand, 12);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(capacity);
  });

  it('changes neither demands nor weights', () => {
    const demands = Object.freeze([3, 1, 2]);
    const weights = Object.freeze([1, 2, 1]);
    maxMinFairShare(demands, 4, weights);
    expect([demands, weights]).toEqual([
      [3, 1, 2],
      [1, 2, 1],
    ]);
  });

  it('shares between a hundred thousand tenants of one ratio', () => {
    const demands = Array.from({ length: 100_000 }, () => 1);
    const { shares, waterLevel } = maxMinFairShare(demands, 50_000);
    expect(waterLevel).toBeCloseTo(0.5, 9);
    expect(shares.every((share) => share === shares[0])).toBe(true);
  });
});
