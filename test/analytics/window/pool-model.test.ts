import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  capacityInWindow,
  changesInside,
  entitlementsOf,
  standingAt,
  weightTimeline,
} from '../../../analytics/window/pool-model.ts';

const FROM = 1_000;
const TO = 1_100;

const slots = (atMs: number, count: number) => ({ atMs, slots: count, capacityPerS: null });
const perS = (atMs: number, rate: number) => ({ atMs, slots: null, capacityPerS: rate });

describe('declared capacity in a window', () => {
  it.each([
    { why: 'nothing declared', entries: [], expected: { slots: null, perS: null, changed: false } },
    { why: 'declared before', entries: [slots(0, 4)], expected: { slots: 4, perS: null, changed: false } },
    {
      why: 'declared at its start',
      entries: [slots(0, 4), slots(FROM, 6)],
      expected: { slots: 6, perS: null, changed: false },
    },
    {
      why: 'a quarter before its end',
      entries: [slots(0, 4), slots(1_075, 8)],
      expected: { slots: 5, perS: null, changed: true },
    },
    {
      why: 'the same again',
      entries: [slots(0, 4), slots(1_050, 4)],
      expected: { slots: 4, perS: null, changed: false },
    },
    {
      why: 'declared at its end',
      entries: [slots(0, 4), slots(TO, 8)],
      expected: { slots: 4, perS: null, changed: false },
    },
    {
      why: 'declared first inside it: it held before too',
      entries: [slots(1_050, 8)],
      expected: { slots: 8, perS: null, changed: false },
    },
    { why: 'declared first after it', entries: [slots(5_000, 8)], expected: { slots: 8, perS: null, changed: false } },
    {
      why: 'to nothing and back',
      entries: [slots(0, 4), slots(1_020, 0), slots(1_070, 4)],
      expected: { slots: 2, perS: null, changed: true },
    },
    {
      why: 'a rate beside slots',
      entries: [slots(0, 4), perS(10, 2.5)],
      expected: { slots: 4, perS: 2.5, changed: false },
    },
    {
      why: 'a rate that was changed before',
      entries: [perS(0, 1), perS(900, 3)],
      expected: { slots: null, perS: 3, changed: false },
    },
    { why: 'slots of 0', entries: [slots(0, 0)], expected: { slots: 0, perS: null, changed: false } },
  ])('$why', ({ entries, expected }) => {
    expect(capacityInWindow(entries, FROM, TO)).toEqual(expected);
  });

  it('is the mean over its milliseconds, one by one', () => {
    const entries = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 900, max: 1_200 }), fc.integer({ min: 0, max: 16 })), {
        selector: ([at]) => at,
        minLength: 1,
        maxLength: 12,
      })
      .map((all) => all.sort(([a], [b]) => a - b).map(([at, count]) => slots(at, count)));
    fc.assert(
      fc.property(entries, (declared) => {
        const at = (ms: number): number => (declared.findLast((each) => each.atMs <= ms) ?? declared[0])?.slots ?? 0;
        const moments = Array.from({ length: TO - FROM }, (_, index) => at(FROM + index));
        const found = capacityInWindow(declared, FROM, TO);
        expect(found.slots).toBeCloseTo(moments.reduce((sum, count) => sum + count, 0) / moments.length, 9);
        expect(found.changed).toBe(new Set(moments).size > 1);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a weight in a window', () => {
  const weights = weightTimeline([
    { tenant: 'a', atMs: 0, weight: 2 },
    { tenant: 'a', atMs: 1_050, weight: 3 },
    { tenant: 'a', atMs: 2_000, weight: 5 },
    { tenant: 'b', atMs: 1_050, weight: 4 },
    { tenant: 'c', atMs: 1_050, weight: 1 },
    { tenant: 'd', atMs: 0, weight: 0 },
  ]);
  const entitled = entitlementsOf([], weights);
  const none = { first: null, distinct: 0 };
  const found = (
    tenant: string,
    fromMs: number,
    toMs: number,
    recorded: { first: number | null; distinct: number },
  ) => {
    const standing = standingAt(entitled, tenant, fromMs, recorded.first);
    return {
      weight: standing.weight,
      changed: changesInside(entitled, tenant, { fromMs, toMs }, standing, recorded.distinct),
    };
  };

  it.each([
    {
      why: 'that of its start, although it changes',
      tenant: 'a',
      recorded: none,
      expected: { weight: 2, changed: true },
    },
    {
      why: 'before any policy 1, and then another',
      tenant: 'b',
      recorded: none,
      expected: { weight: 1, changed: true },
    },
    { why: 'before any policy 1, and then 1', tenant: 'c', recorded: none, expected: { weight: 1, changed: false } },
    { why: 'nothing, which is not 1', tenant: 'd', recorded: none, expected: { weight: 0, changed: false } },
    { why: 'nobody says anything: 1', tenant: 'e', recorded: none, expected: { weight: 1, changed: false } },
    {
      why: 'what its first event carried',
      tenant: 'e',
      recorded: { first: 7, distinct: 1 },
      expected: { weight: 7, changed: false },
    },
    {
      why: 'what its first event carried, others differ',
      tenant: 'e',
      recorded: { first: 7, distinct: 2 },
      expected: { weight: 7, changed: true },
    },
    {
      why: 'the policy, whatever events say',
      tenant: 'd',
      recorded: { first: 7, distinct: 2 },
      expected: { weight: 0, changed: false },
    },
  ])('$why', ({ tenant, recorded, expected }) => {
    expect(found(tenant, FROM, TO, recorded)).toEqual(expected);
  });

  it('changes at the start of a window for that window whole', () => {
    expect(found('a', 1_050, 1_150, none)).toEqual({ weight: 3, changed: false });
    expect(found('a', 950, 1_050, none)).toEqual({ weight: 2, changed: false });
  });
});
