import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DecisionEvent,
  OUTCOMES,
  PROVENANCES,
  REJECT_REASONS,
  STATUSES,
} from '../../../ingest/event/decision-event.ts';
import { identityRelation, mergeDecisions, sameIdentity } from '../../../ingest/event/merge-events.ts';
import { eventOf, parseWith } from './wire.ts';

const SEED = 20_260_302;
const BASE = eventOf(parseWith({}));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const figure = maybe(fc.constantFrom(0, 0.5, 1, 2, 10));
const name = maybe(fc.constantFrom('a', 'b', 'B', '中', '🦊', '\uffff'));

/** Any event of one identity; few values, so that conflicts are common. */
const events: fc.Arbitrary<DecisionEvent> = fc
  .record({
    class: name,
    outcome: maybe(fc.constantFrom(...OUTCOMES)),
    reason: maybe(fc.constantFrom(...REJECT_REASONS)),
    dispatchedAtMs: figure,
    completedAtMs: figure,
    status: maybe(fc.constantFrom(...STATUSES)),
    costEstimate: figure,
    cost: figure,
    inputTokens: figure,
    outputTokens: figure,
    slots: figure,
    originalRequestId: name,
    retryAfterMs: figure,
    promoted: maybe(fc.boolean()),
    weight: figure,
    queueDepth: figure,
    waitBudgetMs: figure,
    gateway: name,
    labels: name,
    tenantProvenance: maybe(fc.constantFrom(...PROVENANCES)),
    waitProvenance: maybe(fc.constantFrom(...PROVENANCES)),
  })
  .map((fields) => ({ ...BASE, ...fields }));

/** Texts by their UTF-8 bytes, as the store does it. */
function compare(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

const merge = (a: DecisionEvent, b: DecisionEvent): DecisionEvent => mergeDecisions(a, b).merged;

/** The specification taken literally: per field all that is said, and of that the greatest. */
function oracle(all: readonly DecisionEvent[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, own] of Object.entries(all[0] ?? BASE)) {
    const said = all.flatMap((event) =>
      Object.entries(event).filter(([other, value]) => other === key && value !== null),
    );
    const values = said.map(([, value]) => value).sort(compare);
    result[key] = values.at(-1) ?? own;
  }
  return result;
}

describe('merging events of one request', () => {
  test('takes what is said, and the greater where two differ, with the conflict named', () => {
    const decision = eventOf(
      parseWith({ outcome: 'rejected', reason: 'quota', cost: 9, gateway: 'b', promoted: false }),
    );
    const other = eventOf(parseWith({ outcome: 'admitted', cost: 10, gateway: 'a', promoted: true, status: 'ok' }));
    const { merged, conflicts } = mergeDecisions(decision, other);
    expect(merged).toMatchObject({
      outcome: 'rejected',
      reason: 'quota',
      cost: 10,
      gateway: 'b',
      promoted: true,
      status: 'ok',
    });
    expect(conflicts).toEqual(['cost', 'gateway', 'outcome', 'promoted']);
  });

  test('texts compare as in the store, by code point: an astral character is above U+FFFF', () => {
    const a = eventOf(parseWith({ gateway: '🦊' }));
    const b = eventOf(parseWith({ gateway: '\uffff' }));
    expect(merge(a, b).gateway).toBe('🦊');
    expect(merge(b, a).gateway).toBe('🦊');
  });

  test('a completion that names no outcome never admits a refused request', () => {
    const refused = eventOf(parseWith({ outcome: 'rejected', reason: 'quota' }));
    const completion = eventOf(parseWith({ completed_at: '2026-03-02T10:15:09Z' }));
    expect(mergeDecisions(completion, refused)).toMatchObject({ merged: { outcome: 'rejected' }, conflicts: [] });
  });

  test('labels and provenances that differ are no conflict', () => {
    const a = { ...BASE, labels: '{"a":1}', waitProvenance: 'absent' as const };
    const b = { ...BASE, labels: '{"b":1}', waitProvenance: 'bounded' as const };
    expect(mergeDecisions(a, b)).toEqual({ merged: b, conflicts: [] });
  });

  test('is commutative, associative and idempotent', () => {
    fc.assert(
      fc.property(events, events, events, (a, b, c) => {
        expect(mergeDecisions(a, b)).toEqual(mergeDecisions(b, a));
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
        expect(mergeDecisions(a, a)).toEqual({ merged: a, conflicts: [] });
        expect(merge(merge(a, b), b)).toEqual(merge(a, b));
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  test('any order and any number of deliveries give what the specification says', () => {
    const deliveries = fc
      .array(events, { minLength: 1, maxLength: 5 })
      .chain((all) => fc.tuple(fc.constant(all), fc.array(fc.constantFrom(...all), { maxLength: 5 })))
      .chain(([all, again]) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
      );
    fc.assert(
      fc.property(deliveries, ([all, delivered]) => {
        expect(delivered.reduce(merge)).toEqual(oracle(all));
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });
});

describe('identity', () => {
  test.each<[Partial<DecisionEvent>, string, string]>([
    [{}, 'same', 'the same event twice'],
    [{ cost: 5, gateway: 'x' }, 'same', 'other facts'],
    [{ requestId: 'r2' }, 'other', 'another request'],
    [{ pool: 'p' }, 'other', 'the same id in two pools is two requests'],
    [{ attempt: 2 }, 'other', 'another attempt'],
    [{ tenant: 'x' }, 'conflict', 'another tenant'],
    [{ arrivedAtMs: BASE.arrivedAtMs + 1 }, 'conflict', 'another arrival'],
    [{ requestId: 'r2', tenant: 'x' }, 'other', 'another request of another tenant'],
  ])('%j is %s (%s)', (fields, relation) => {
    const other = { ...BASE, ...fields };
    expect(identityRelation(BASE, other)).toBe(relation);
    expect(sameIdentity(other, BASE)).toBe(relation === 'same');
  });

  test('events of two identities are never merged', () => {
    expect(() => mergeDecisions(BASE, { ...BASE, tenant: 'x' })).toThrow(
      expect.objectContaining({ code: 'EVS_INVARIANT' }),
    );
  });
});
