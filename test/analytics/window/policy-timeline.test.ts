import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeTerms, policyTerms } from '../../../analytics/window/policy-terms.ts';
import { policyAt, policyChangesWithin, policyTimeline } from '../../../analytics/window/policy-timeline.ts';
import { parsePolicy } from '../../../scheduler-core/index.ts';

const SEED = 20_261_101;
const moments = fc.uniqueArray(fc.integer({ min: -20, max: 20 }), { maxLength: 12 });
const at = fc.oneof(
  fc.integer({ min: -25, max: 25 }),
  fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
);

describe('the policies of a pool in time order', () => {
  it('hold from their moment until the next one’s, as a search from the first to the last finds', () => {
    const property = fc.property(moments, at, (unordered, moment) => {
      const timeline = [...unordered].sort((a, b) => a - b).map((atMs) => ({ atMs }));
      let holds: { readonly atMs: number } | null = null;
      for (const policy of timeline) if (policy.atMs <= moment) holds = policy;
      expect(policyAt(timeline, moment)).toBe(holds);
    });
    fc.assert(property, { seed: SEED, numRuns: 2_000 });
  });

  it('change a window where one begins inside it, but not at its very start or end', () => {
    const property = fc.property(moments, at, at, (unordered, startMs, endMs) => {
      const timeline = [...unordered].sort((a, b) => a - b).map((atMs) => ({ atMs }));
      const inside = timeline.filter(({ atMs }) => atMs > startMs && atMs < endMs);
      expect(policyChangesWithin(timeline, startMs, endMs)).toEqual(inside);
    });
    fc.assert(property, { seed: SEED, numRuns: 2_000 });
  });

  it('are found in few steps among many', () => {
    const timeline = Array.from({ length: 1 << 16 }, (_, index) => ({ atMs: index * 10 }));
    let looks = 0;
    const counting = new Proxy(timeline, {
      get: (target, key, self) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
        return Reflect.get(target, key, self);
      },
    });
    expect(policyAt(counting, 123_456)?.atMs).toBe(123_450);
    expect(looks).toBeLessThan(20);
  });

  it('say weights, groups and what holds for others', () => {
    const text = `
default_tenant: { weight: 0 }
weights: { 007: 3 }
tenants:
  - { name: key1, group: corp, weight: 2 }
  - { name: __proto__, group: corp }
groups: { corp: { weight: 5 }, unused: {} }
`;
    const policy = parsePolicy(text, { allowsZeroWeight: true });
    const row = { atMs: 7, name: 'n', digest: 'd', body: encodeTerms(policyTerms(policy)) };
    expect(policyTimeline([row])).toEqual([
      {
        atMs: 7,
        name: 'n',
        digest: 'd',
        defaultWeight: 0,
        weights: new Map([
          ['key1', 2],
          ['__proto__', 0],
          ['007', 3],
        ]),
        groupOf: new Map([
          ['key1', 'corp'],
          ['__proto__', 'corp'],
        ]),
        groupWeights: new Map([
          ['corp', 5],
          ['unused', 1],
        ]),
      },
    ]);
    expect(policyTimeline([])).toEqual([]);
  });
});
