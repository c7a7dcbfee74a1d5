import fc from 'fast-check';
import type { ClassTerms, PolicyTerms, QuotaTerms, TenantTerms } from '../../../analytics/window/policy-terms.ts';

/** Names that are text like any other. */
export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  '007',
  '10',
  '9',
  "'; DROP TABLE pool_policies; --",
  'a\tb\nc\r\0d\\N',
  '\\',
  '=cmd',
  '\u202eevil',
  '\ud800',
  '🦊 中文',
  'a",b',
  '\u001b[2J',
] as const;

const name = fc.oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }));
const weight = fc.oneof(fc.constantFrom(0, 1, 2, 1e-300, 1e300, 0.1), fc.double({ min: 0, max: 1e6, noNaN: true }));
const positive = fc.constantFrom(0.5, 1, 112.5);
const few = { nil: null, freq: 2 };

const quota: fc.Arbitrary<QuotaTerms> = fc.record({
  ratePerS: fc.constantFrom(0, 1, 2.5),
  burst: positive,
  unit: fc.constantFrom('requests', 'cost'),
  mode: fc.constantFrom('refuse', 'hold'),
});
const inGroup = (group: fc.Arbitrary<string | null>): fc.Arbitrary<TenantTerms> =>
  fc.record({ weight, group, class: fc.option(name, few), quota: fc.option(quota, few) });
const classTerms: fc.Arbitrary<ClassTerms> = fc.record({
  weight: positive,
  waitBudgetMs: fc.option(positive, few),
  target: fc.option(fc.record({ ratio: positive, waitBelowMs: positive }), few),
});

const mapOf = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<ReadonlyMap<string, Value>> =>
  fc.array(fc.tuple(name, value), { maxLength: 6 }).map((entries) => new Map(entries));

/** Any terms. Groups that tenants name need not be there: nothing that is tried here asks for it. */
export const terms: fc.Arbitrary<PolicyTerms> = fc.record({
  defaultTenant: inGroup(fc.constant(null)),
  tenants: mapOf(inGroup(fc.option(name, few))),
  groups: mapOf(weight.map((value) => value + 0)),
  classes: mapOf(classTerms),
});

/** The same terms, said in another order. */
export function reordered(from: PolicyTerms): PolicyTerms {
  const turn = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].reverse());
  return {
    defaultTenant: from.defaultTenant,
    tenants: turn(from.tenants),
    groups: turn(from.groups),
    classes: turn(from.classes),
  };
}
