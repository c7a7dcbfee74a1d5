import { assertInvariant, EvenshareError } from '../../kernel/index.ts';
import { choice, entriesOf, type Field, flag, number, orNull, text } from '../../policy/field.ts';
import { type Item, list, type NamedValue, named, type ReadList } from '../../policy/list-fields.ts';
import { describeValue, Mistakes, mistakeAt, type Place, placeOfKey, quote } from '../../policy/mistakes.ts';
import type { Policy } from '../../policy/policy.ts';
import { durationKey, durationOrNullKey, key, record } from '../../policy/record.ts';
import type { Span } from '../rate-profile.ts';
import type { ShareUnit } from '../request-fate.ts';
import type { SlotChange } from '../slot-schedule.ts';
import { fromKey, MAPPING, mapped, toKey, valuesOf } from './common-fields.ts';
import { type LoadParts, loadField, loadsOf } from './load-fields.ts';
import { policiesField } from './policy-entries.ts';
import type { PublishedFigure, Scenario } from './scenario.ts';

interface ScenarioParts
  extends Omit<Scenario, 'loads' | 'weights' | 'policies' | 'measured' | 'published' | 'workers'> {
  readonly measured: Span | null;
  readonly loads: ReadList<LoadParts>;
  readonly policies: readonly Policy[];
  readonly workers: { readonly count: number; readonly stealing: boolean } | null;
  readonly published: ReadonlyMap<string, ReadonlyMap<string, PublishedFigure>>;
}

const SHARE_UNITS: ReadonlyMap<string, ShareUnit> = new Map([
  ['requests', 'requests'],
  ['service_ms', 'service_ms'],
  ['tokens', 'tokens'],
]);

const POSITIVE = number({ above: 0 });

/** A mapping from names that the file chooses, as a map. */
function mapOf<T>(field: Field<ReadList<NamedValue<T>>>): Field<ReadonlyMap<string, T>> {
  return mapped(valuesOf(field), (entries) => new Map(entries.map(({ name, value }) => [name, value])));
}

const publishedFigureField: Field<PublishedFigure> = {
  allowed: 'a number, or a list of the least and the largest',
  schema: { anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }] },
  read: (value, place) => {
    if (typeof value === 'number') return value;
    if (Array.isArray(value) && value.length === 2) {
      const [low, high]: unknown[] = value;
      if (typeof low === 'number' && typeof high === 'number' && low <= high) return { low, high };
    }
    return mistakeAt(place, `must be a number, or a list of the least and the largest, not ${describeValue(value)}`);
  },
};

const scenarioField = record<ScenarioParts>(
  {
    name: key({ name: 'scenario', about: 'Its name.' }, text('a name, not empty')),
    about: key({ name: 'about', about: 'What it shows, in a sentence.', absent: '' }, text('a sentence')),
    seed: key(
      { name: 'seed', about: 'Where --seed does not say it.', absent: 1 },
      number({ from: 0, to: 2 ** 32 - 1, whole: true }),
    ),
    slots: key({ name: 'slots', about: 'Servers of the pool.' }, POSITIVE),
    slotChanges: key(
      { name: 'slot_changes', about: 'Slots that come and go.', absent: [], defaultText: 'none' },
      valuesOf(
        list(
          record<SlotChange>(
            {
              atMs: durationKey<never>({ name: 'at', about: 'From when on.' }, { zero: true }),
              slots: key({ name: 'slots', about: 'How many.' }, number({ from: 0 })),
            },
            MAPPING,
          ),
          { what: 'a list of changes', check: checkChanges },
        ),
      ),
    ),
    workers: key(
      {
        name: 'workers',
        about: 'Each with an equal part of the slots and a queue of its own.',
        absent: null,
        defaultText: 'one',
      },
      orNull(
        record<{ count: number; stealing: boolean }>(
          {
            count: key({ name: 'count', about: 'How many.' }, number({ from: 1, to: 1000, whole: true })),
            stealing: key({ name: 'stealing', about: 'Whether an idle one takes from the longest queue.' }, flag()),
          },
          MAPPING,
        ),
      ),
    ),
    lightFactor: key(
      { name: 'light_factor', about: 'What the light mode takes of a normal service.', absent: 0.5 },
      number({ above: 0 }),
    ),
    durationMs: durationKey<never>({ name: 'duration', about: 'Requests arrive from 0 until then.' }),
    measured: key<Span | null>(
      { name: 'measured', about: 'The span of shares, rates and waits.', absent: null, defaultText: 'the duration' },
      record<Span>({ fromMs: fromKey, toMs: toKey }, MAPPING),
    ),
    costUnit: key({ name: 'cost_unit', about: 'The unit of shares.', absent: 'requests' }, choice(SHARE_UNITS)),
    sampleEveryMs: durationOrNullKey<never>({
      name: 'sample_every',
      about: 'How often to look at controllers.',
      absent: null,
      defaultText: 'never',
    }),
    loads: key(
      { name: 'tenants', about: 'Who sends what.' },
      list(loadField, { what: 'a list of tenants, not empty', least: 1 }),
    ),
    policies: key({ name: 'policies', about: 'What to compare.' }, policiesField),
    published: key(
      {
        name: 'published',
        about: 'Figures to compare with, by policy and name.',
        absent: new Map<string, ReadonlyMap<string, PublishedFigure>>(),
        defaultText: 'none',
      },
      mapOf(named(mapOf(named(publishedFigureField, 'a mapping of figures')), 'a mapping of policies')),
    ),
  },
  { what: 'a mapping with scenario, slots, duration, tenants and policies', check: checkScenario },
);

function checkChanges(items: readonly Item<SlotChange>[]): void {
  for (const [index, { value, place }] of items.entries()) {
    if (value.atMs < (items[index - 1]?.value.atMs ?? 0)) mistakeAt(place, 'must not be before the change before it');
  }
}

function checkScenario(parts: Partial<ScenarioParts>, place: Place): void {
  const { measured, workers, slotChanges, loads, slots } = parts;
  if (measured !== undefined && measured !== null && measured.toMs <= measured.fromMs) {
    mistakeAt(placeOfKey(place, 'measured'), 'must end after it begins');
  }

  const count = workers?.count ?? 1;
  if (count > 1 && (slotChanges ?? []).length > 0) {
    mistakeAt(placeOfKey(place, 'slot_changes'), 'cannot go with several workers');
  }
  for (const { value, place: at } of loads?.items ?? []) {
    if (value.worker >= count) mistakeAt(placeOfKey(at, 'worker'), `must be less than the workers (${count})`);
    const most = Math.max(
      (slots ?? Number.POSITIVE_INFINITY) / count,
      ...(slotChanges ?? []).map((change) => change.slots),
    );
    if (value.slots > most) mistakeAt(placeOfKey(at, 'slots'), `must be at most the slots of a worker (${most})`);
  }
}

/**
 * A scenario from what a YAML or JSON file holds, every default filled in; docs/scenarios.md describes it.
 *
 * @throws EVS_USAGE in one line with every mistake, its path and what is allowed there.
 */
export function parseScenario(source: unknown, fileName?: string): Scenario {
  const subject = fileName === undefined ? 'the scenario' : `scenario ${quote(fileName)}`;
  const mistakes = new Mistakes();
  const place: Place = { path: '', mistakes };
  const parts =
    entriesOf(source) === null
      ? mistakeAt(place, `must be a mapping, not ${describeValue(source)}`)
      : scenarioField.read(source, place);
  throwUsage(mistakes, subject);
  assertInvariant(parts !== undefined, 'a scenario without mistakes has been read');
  const { loads, measured, workers, ...rest } = parts;
  const weights = new Map<string, number>();
  for (const { value } of loads.items) {
    if (value.weight !== null) for (const name of value.names) weights.set(name, value.weight);
  }
  return {
    ...rest,
    loads: loads.items.flatMap(({ value }) => loadsOf(value)),
    weights,
    measured: measured ?? { fromMs: 0, toMs: rest.durationMs },
    workers: workers ?? { count: 1, stealing: false },
  };
}

function throwUsage(mistakes: Mistakes, subject: string): void {
  try {
    mistakes.throwIfAny(subject);
  } catch (error) {
    if (!(error instanceof EvenshareError)) throw error;
    throw new EvenshareError('EVS_USAGE', error.message);
  }
}
