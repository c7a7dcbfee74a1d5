import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExplainContext, explainWindow } from '../../../analytics/explain/explain-window.ts';
import type { Explanation } from '../../../analytics/explain/explanation.ts';
import { roundPercents } from '../../../analytics/explain/round-percents.ts';
import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import { fluidOf, madeTenant, madeWindow } from './made-window.ts';

const CONTEXT: ExplainContext = { pool: 'p', before: null, groupWeights: new Map() };
const BEFORE = { start: '2026-11-01T14:04:00.000Z', end: '2026-11-01T14:05:00.000Z' };

const cost = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.double({ min: 1e-6, max: 1e5, noNaN: true }));
const verdict = fc.constantFrom('short', 'short', 'over', 'over', 'fair', 'idle', 'capped');
const fluid = fc.option(fc.record({ ideal: cost, lag: cost, inShare: fc.double({ min: 0, max: 1, noNaN: true }) }));
const tenants = fc.array(fc.record({ fair: cost, served: cost, lag: cost, lagBefore: cost, verdict, fluid }), {
  minLength: 1,
  maxLength: 60,
});
const situations = fc.record({
  tenants,
  idle: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  capacity: cost,
  hasBefore: fc.boolean(),
});
type Situation = typeof situations extends fc.Arbitrary<infer Value> ? Value : never;

function made(situation: Situation): { window: Window; before: Window | null } {
  const name = (index: number): string => `t${String(index).padStart(2, '0')}`;
  const list = situation.tenants.map((each, index) => {
    const plain = madeTenant({ ...each, tenant: name(index), fluid: null });
    if (each.fluid === null) return plain;
    const { ideal, lag, inShare } = each.fluid;
    return {
      ...plain,
      fluid: fluidOf(each.served, { ideal, lag, inShare: Math.floor(inShare * plain.requests) }),
    };
  });
  const window = madeWindow(list, {
    idle_while_waiting_ratio: situation.idle,
    capacity: { cost: situation.capacity, basis: 'measured' },
  });
  const earlier = situation.tenants.map((each, index) =>
    madeTenant({ tenant: name(index), verdict: 'fair', fair: 1, served: 1, lag: each.lagBefore }),
  );
  return { window, before: situation.hasBefore ? madeWindow(earlier, BEFORE) : null };
}

const explain = (window: Window, before: Window | null): Explanation =>
  explainWindow(window, null, { ...CONTEXT, before });
const idealOf = (tenant: TenantWindow): number => tenant.fluid?.ideal_cost ?? tenant.fair_share_cost ?? 0;
const lagOf = (tenant: TenantWindow): number => tenant.fluid?.shortfall_cost ?? tenant.lag_cost ?? 0;
const close = (a: number, b: number, scale: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(scale, 1e-9);

describe('the ledger', () => {
  test('divides every deficit whole: costs add up to it, percents to 100', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { window, before } = made(situation);
        const { ledger } = explain(window, before);
        const short = window.tenants.filter((each) => each.verdict === 'short' && lagOf(each) > 0);
        expect(ledger?.tenants.map((each) => each.tenant).sort() ?? []).toEqual(short.map((each) => each.tenant));
        for (const each of ledger === null ? [] : [ledger, ...ledger.tenants]) {
          const sum = each.entries.reduce((total, entry) => total + entry.cost, 0);
          expect(close(sum, each.deficit_cost, each.deficit_cost), `${sum} of ${each.deficit_cost}`).toBe(true);
          expect(each.entries.reduce((total, entry) => total + entry.percent, 0)).toBe(100);
          expect(each.entries.every((entry) => entry.cost > 0 && entry.percent >= 0)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('puts down to nobody more than it was served beyond its ideal service, and to a short one nothing of its own deficit', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { window, before } = made(situation);
        const explanation = explain(window, before);
        const sums = new Map<string, number>();
        for (const victim of explanation.ledger?.tenants ?? []) {
          for (const entry of victim.entries) {
            if (entry.tenant === victim.tenant) throw new Error(`${victim.tenant} is put down to itself`);
            if (entry.tenant !== null) sums.set(entry.tenant, (sums.get(entry.tenant) ?? 0) + entry.cost);
          }
        }
        for (const tenant of window.tenants) {
          const sum = sums.get(tenant.tenant) ?? 0;
          const most = Math.max(0, (tenant.served_cost ?? 0) - idealOf(tenant));
          expect(sum, `${tenant.tenant} ${tenant.verdict}`).toBeLessThanOrEqual(most * (1 + 1e-9));
          const told = explanation.tenants.find((each) => each.tenant === tenant.tenant)?.attributed_cost ?? 0;
          expect(told).toBeLessThanOrEqual(most * (1 + 1e-9));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('does not depend on the order of the tenants', () => {
    fc.assert(
      fc.property(situations, fc.infiniteStream(fc.nat()), (situation, keys) => {
        const { window, before } = made(situation);
        const shuffle = <Item>(items: readonly Item[]): Item[] =>
          items
            .map((item) => ({ item, key: keys.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const shuffled = { ...window, tenants: shuffle(window.tenants) };
        expect(explain(shuffled, before)).toEqual(explain(window, before));
      }),
      { numRuns: 500 },
    );
  });

  test('gives equal culprits equal parts, and each victim the same mixture of what covers all', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 1, max: 2_000 }),
        (lags, culprits, excess) => {
          const short = lags.map((lag, index) =>
            madeTenant({ tenant: `s${index}`, verdict: 'short', fair: lag, served: 0, lag }),
          );
          const over = Array.from({ length: culprits }, (_, index) =>
            madeTenant({ tenant: `o${String(index).padStart(2, '0')}`, verdict: 'over', fair: 5, served: 5 + excess }),
          );
          const { ledger, tenants: explained } = explain(madeWindow([...short, ...over]), null);
          for (const victim of ledger?.tenants ?? []) {
            const named = victim.entries.filter((entry) => entry.tenant !== null);
            expect(new Set(named.map((entry) => entry.cost)).size).toBe(1);
            expect(named.map((entry) => entry.tenant)).toEqual(over.slice(0, 20).map((each) => each.tenant));
          }
          const attributed = explained.filter((each) => each.verdict === 'over').map((each) => each.attributed_cost);
          expect(new Set(attributed).size).toBe(1);
        },
      ),
    );
  });
});

describe('whole percents', () => {
  test('add up to 100, and are off by less than one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 300 }), (parts) => {
        const total = parts.reduce((sum, part) => sum + part, 0);
        fc.pre(total > 0);
        const percents = roundPercents(parts);
        expect(percents.reduce((sum, percent) => sum + percent, 0)).toBe(100);
        for (const [place, part] of parts.entries()) {
          expect(Math.abs((percents[place] ?? 0) - (part / total) * 100)).toBeLessThan(1 + 1e-6);
        }
      }),
    );
  });

  test.each([
    [
      [1, 1, 1],
      [34, 33, 33],
    ],
    [
      [92, 8],
      [92, 8],
    ],
    [
      [0, 0],
      [0, 0],
    ],
    [[], []],
  ])('of %j are %j', (parts, percents) => {
    expect(roundPercents(parts)).toEqual(percents);
  });
});
