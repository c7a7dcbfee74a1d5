import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffPolicies, isEmptyDiff } from '../../../analytics/window/policy-diff.ts';
import { decodeTerms, encodeTerms, NO_TERMS, type PolicyTerms } from '../../../analytics/window/policy-terms.ts';
import { reordered, terms } from './arbitrary-terms.ts';

const SEED = 20_261_102;

/** As a person would compare two lists: every name of either, in order, and whether what stands there reads the same. */
function naiveChanges<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>) {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [{ name, kind: old === undefined ? 'added' : now === undefined ? 'removed' : 'changed', old, now }];
  });
}

describe('what differs between two policies', () => {
  it('is what a comparison name by name finds, in the order of names', () => {
    const kinds = new Map<string, number>();
    const property = fc.property(terms, terms, (before, after) => {
      const diff = diffPolicies(before, after);
      const tenants = naiveChanges(before.tenants, after.tenants);
      for (const { kind } of tenants) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      expect(diff.tenants).toEqual(
        tenants.map(({ name, kind, old, now }) => ({
          tenant: name,
          kind,
          before: old ?? before.defaultTenant,
          after: now ?? after.defaultTenant,
        })),
      );
      expect(diff.groups).toEqual(
        naiveChanges(before.groups, after.groups).map(({ name, kind, old, now }) => ({
          group: name,
          kind,
          before: old ?? null,
          after: now ?? null,
        })),
      );
      expect(diff.classes).toEqual(
        naiveChanges(before.classes, after.classes).map(({ name, kind, old, now }) => ({
          class: name,
          kind,
          before: old ?? null,
          after: now ?? null,
        })),
      );
      const isSame = JSON.stringify(before.defaultTenant) === JSON.stringify(after.defaultTenant);
      const { defaultTenant } = diff;
      expect(defaultTenant).toEqual(isSame ? null : { before: before.defaultTenant, after: after.defaultTenant });
    });
    fc.assert(property, { seed: SEED, numRuns: 2_000 });
    for (const kind of ['added', 'removed', 'changed']) expect(kinds.get(kind), kind).toBeGreaterThan(100);
  });

  it('is nothing between a policy and itself, however it is ordered, and the same bytes for the same two', () => {
    const property = fc.property(terms, terms, (before, after) => {
      expect(isEmptyDiff(diffPolicies(before, reordered(before)))).toBe(true);
      const bytes = JSON.stringify(diffPolicies(before, after));
      expect(JSON.stringify(diffPolicies(reordered(before), reordered(after)))).toBe(bytes);
    });
    fc.assert(property, { seed: SEED, numRuns: 500 });
  });

  it('against no policy is what is said beyond weight 1 for all', () => {
    const named: PolicyTerms = { ...NO_TERMS, tenants: new Map([['a', { ...NO_TERMS.defaultTenant, weight: 3 }]]) };
    const change = { tenant: 'a', kind: 'added', before: NO_TERMS.defaultTenant, after: named.tenants.get('a') };
    expect(diffPolicies(null, named)).toEqual({ defaultTenant: null, tenants: [change], groups: [], classes: [] });
    expect(diffPolicies(named, null).tenants).toEqual([
      { tenant: 'a', kind: 'removed', before: change.after, after: change.before },
    ]);
    expect(isEmptyDiff(diffPolicies(null, NO_TERMS))).toBe(true);
    expect(isEmptyDiff(diffPolicies(null, null))).toBe(true);
  });
});

describe('the terms of a policy as they are stored', () => {
  it('come back as they were, and are the same bytes in whatever order they were said', () => {
    const property = fc.property(terms, (given) => {
      expect(decodeTerms(encodeTerms(given))).toEqual(given);
      expect(encodeTerms(reordered(given))).toBe(encodeTerms(given));
    });
    fc.assert(property, { seed: SEED, numRuns: 1_000 });
  });
});
