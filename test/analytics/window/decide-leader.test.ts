import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLeader, LEASE_MS, observeClaims, type SeenClaim } from '../../../analytics/window/decide-leader.ts';

const NOW_MS = 1_000_000;
const claim = fc.record({
  holder: fc.string({ maxLength: 3 }),
  term: fc.integer({ min: 0, max: 4 }),
  renewal: fc.integer({ min: 1, max: 9 }),
  firstSeenMs: fc.integer({ min: NOW_MS - 2 * LEASE_MS, max: NOW_MS }),
});
const claims = fc.uniqueArray(claim, { maxLength: 6, selector: ({ holder }) => holder });

describe('who leads', () => {
  it('is one of those that live, whom none that lives comes before; nobody only when none lives', () => {
    fc.assert(
      fc.property(claims, (all) => {
        const living = all.filter(({ firstSeenMs }) => NOW_MS - firstSeenMs < LEASE_MS);
        const leader = living.find(({ holder }) => holder === decideLeader(all, NOW_MS));
        if (leader === undefined) return living.length === 0;
        return living.every(
          ({ term, holder }) => term > leader.term || (term === leader.term && holder >= leader.holder),
        );
      }),
    );
  });

  it('does not hang on the order of the rows', () => {
    fc.assert(
      fc.property(claims, fc.integer(), (all, seed) => {
        const turned = all
          .map((_, index) => all[(index + Math.abs(seed)) % all.length])
          .filter((one) => one !== undefined);
        expect(decideLeader(turned, NOW_MS)).toBe(decideLeader(all, NOW_MS));
      }),
    );
  });

  it('stays while others come, who take a later term', () => {
    fc.assert(
      fc.property(claims, claim, (all, comer) => {
        fc.pre(!all.some(({ holder }) => holder === comer.holder));
        const last = Math.max(0, ...all.map(({ term }) => term));
        const before = decideLeader(all, NOW_MS);
        fc.pre(before !== null);
        expect(decideLeader([...all, { ...comer, term: last + 1, firstSeenMs: NOW_MS }], NOW_MS)).toBe(before);
      }),
    );
  });
});

describe('what is seen of a claim', () => {
  const row = { holder: 'a', term: 1, renewal: 7 };
  const seen = (firstSeenMs: number): SeenClaim[] => [{ ...row, firstSeenMs }];

  it.each([
    ['one met for the first time is new, however old it is', [], row, 500],
    ['the same renewal ages', seen(100), row, 100],
    ['another renewal is new', seen(100), { ...row, renewal: 8 }, 500],
    ['another term is new', seen(100), { ...row, term: 2 }, 500],
    ['a clock that was set back makes no dead claim live for hours', seen(9_000_000), row, 500],
  ])('%s', (_why, before, claimed, firstSeenMs) => {
    expect(observeClaims(before, [claimed], 500)).toEqual([{ ...claimed, firstSeenMs }]);
  });

  it('is forgotten once it was given back', () => {
    expect(observeClaims(seen(100), [], 500)).toEqual([]);
  });
});
