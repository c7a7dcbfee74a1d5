import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { parsePolicy, policySchema } from '../../../scheduler-core/policy/index.ts';
import { FAIR_QUEUE, FULLER } from './policy-texts.ts';

const isValid = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(policySchema);

/** What keys say of each other, which a schema cannot hold against them. */
const BEYOND_THE_SCHEMA = [
  /is already named by/,
  /names the class/,
  /names the group/,
  /stands here twice/,
  /hold needs a queue/,
  /quantum × weight/,
  /must be entered above/,
  /must be less than where it is entered/,
  /^[a-z_.]+: (priority )?needs /,
  /must be at most queues/,
  /log2\(queues\) × hand_size/,
  /must not be longer than window/,
  /must be at least 1ms/,
];

/** Null when the policy is accepted. */
function mistakesOf(source: unknown): string[] | null {
  try {
    parsePolicy(source);
    return null;
  } catch (error) {
    if (!(error instanceof EvenshareError)) throw error;
    return error.message.replace(/^the policy: /, '').split('; ');
  }
}

interface Site {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string;
}

function sitesOf(value: unknown): Site[] {
  if (typeof value !== 'object' || value === null) return [];
  // Seam: what JSON and YAML hold.
  const holder = value as Record<string, unknown> | unknown[];
  return Object.entries(holder).flatMap(([key, item]) => [{ holder, key }, ...sitesOf(item)]);
}

const VALUES = [
  ...[null, true, 0, 1, -1, 2, 0.5, 1.5, 1e-200, 1e300, 70_000],
  ...['', 'x', '5s', '0s', '0.0ms', '0.5ms', '007d', '5', '5 s', '99999999999999s', '-1s', 'unlimited', 'drr', 'hold'],
  ...[
    'queue_water > 0.5',
    'queue_water > 0',
    'queue_water > 1.0',
    'queue_water < .9',
    'pause_x',
    'pause_',
    'urgent',
    'bulk',
  ],
];
const value = fc.oneof(
  fc.constantFrom<unknown>(...VALUES),
  fc.constantFrom<unknown>([], {}, [{}], { kind: 'wfq' }, { kind: 'drr' }, { a: 1 }, { name: 'a' }, ['urgent']),
);
const KEYS = [
  'name',
  'kind',
  'quantum',
  'max_wait',
  'max_wait_s',
  'wait_budget_ms',
  'every',
  'every_ms',
  'after_s',
  'x',
];
const change = fc.oneof(
  fc.record({ how: fc.constant('replace' as const), where: fc.nat(), value }),
  fc.record({ how: fc.constant('remove' as const), where: fc.nat() }),
  fc.record({ how: fc.constant('add' as const), where: fc.nat(), key: fc.constantFrom(...KEYS), value }),
);
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function applyChange(policy: unknown, change: Change): void {
  const sites = sitesOf(policy);
  const site = sites[change.where % Math.max(1, sites.length)];
  if (site === undefined) return;
  const { holder, key } = site;
  if (change.how === 'remove') {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
  } else if (change.how === 'replace') Reflect.set(holder, key, structuredClone(change.value));
  else if (!Array.isArray(holder)) holder[change.key] = structuredClone(change.value);
}

describe('the schema for editors', () => {
  it.each([
    ['the gateway form', FAIR_QUEUE],
    ['every key of the fuller form', FULLER],
    ['nothing at all', '{}'],
    ['classes as a mapping', 'classes: { a: {}, b: { wait_budget: unlimited } }'],
    ['a word for a discipline', 'discipline: wf2q'],
    ['odd names', 'weights: { __proto__: 1, "=cmd": 2 }'],
  ])('accepts %s', (_what, text) => {
    expect(isValid(parse(text)), JSON.stringify(isValid.errors)).toBe(true);
    expect(mistakesOf(text)).toBeNull();
  });

  it.each([
    ['a list', '[]'],
    ['a key that is none', 'wieghts: { a: 1 }'],
    ['a key beside fair_queue', 'fair_queue: { tenants: [] }\nname: x'],
    ['weight 0', 'weights: { a: 0 }'],
    ['a duration without a unit', 'starvation_guard: { max_wait: 5 }'],
    ['no duration at all', 'starvation_guard: {}'],
    ['two of one', 'starvation_guard: { max_wait: 5s, max_wait_s: 5 }'],
    ['nothing as a duration', 'starvation_guard: { max_wait: 0s }'],
    ['a key of another discipline', 'discipline: { kind: fifo, quantum: 1 }'],
    [
      'a level over 1',
      'fair_queue: { tenants: [], degrade: [{ level: a, trigger: queue_water > 2, action: pause_b }] }',
    ],
  ])('refuses %s, as the parser does', (_what, text) => {
    expect(isValid(parse(text))).toBe(false);
    expect(mistakesOf(text)).not.toBeNull();
  });

  it('tells editors what a key means and is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(policySchema))).toEqual(policySchema);
    const texts = JSON.stringify(policySchema);
    expect(texts).toContain('Requests that waited so long go first.');
    expect(texts).not.toContain('null,"description"');
  });

  it('and the parser never differ but in what keys say of each other', () => {
    const outcomes = { accepted: 0, refused: 0, beyond: 0 };
    fc.assert(
      fc.property(
        fc.constantFrom(FAIR_QUEUE, FULLER),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (text, all) => {
          const policy: unknown = parse(text);
          for (const one of all) applyChange(policy, one);
          const mistakes = mistakesOf(policy);
          const shown = `${JSON.stringify(policy)}\n${JSON.stringify(mistakes)}\n${JSON.stringify(isValid.errors)}`;
          if (!isValid(policy)) {
            outcomes.refused++;
            expect(mistakes, shown).not.toBeNull();
          } else if (mistakes === null) outcomes.accepted++;
          else {
            outcomes.beyond++;
            const others = mistakes.filter((mistake) => !BEYOND_THE_SCHEMA.some((known) => known.test(mistake)));
            expect(others, shown).toEqual([]);
          }
          // As text it is the same policy.
          expect(mistakesOf(JSON.stringify(policy))).toEqual(mistakes);
        },
      ),
      { seed: 20_260_102, numRuns: 5_000, verbose: 1 },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(100);
  });
});

describe('a policy file that was damaged', () => {
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(6),
    put: fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('\n', ': ', '- ', '0', '-', 'null', '"', '{', '}', 's')),
  });

  it('is accepted or refused in one line, never anything else', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(FAIR_QUEUE, FULLER),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        (text, all) => {
          const damaged = all.reduce<string>((whole, { at, length, put }) => {
            const start = Math.floor(at * whole.length);
            return whole.slice(0, start) + put + whole.slice(start + length);
          }, text);
          for (const mistake of mistakesOf(damaged) ?? []) expect(mistake).toMatch(/^[^\n\r\u2028\u2029]{1,500}$/);
        },
      ),
      { seed: 20_260_103, numRuns: 5_000, verbose: 1 },
    );
  });
});
