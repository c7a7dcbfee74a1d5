import { assertInvariant, parseDurationMs, SECOND_MS } from '../kernel/index.ts';
import {
  type DescribedKey,
  entriesOf,
  type Field,
  type JsonSchema,
  number,
  orNull,
  orUnlimited,
  pattern,
} from './field.ts';
import { describeValue, didYouMean, mistakeAt, type Place, placeOfKey } from './mistakes.ts';

/** A key of a mapping: what it is called in the file (once for each spelling), and what holds where it is absent. */
export interface Key<T> extends DescribedKey {
  readonly spellings: readonly { readonly name: string; readonly field: Field<T> }[];
  /** Undefined: the key is required. */
  readonly absent: T | undefined;
}

export interface KeyOptions<T> {
  readonly name: string;
  readonly about: string;
  /** The value where the key is absent; without it the key is required. */
  readonly absent?: T;
  /** The default in words, where the value does not say it. */
  readonly defaultText?: string;
}

export function key<T>(options: KeyOptions<T>, field: Field<T>): Key<T> {
  return {
    ...describe(options, field.allowed),
    keys: field.keys ?? [],
    spellings: [{ name: options.name, field: annotate(field, options) }],
  };
}

export interface DurationBounds {
  /** Whether 0 may stand. */
  readonly zero?: true;
  /** Whether `unlimited` may stand. */
  readonly unlimited?: true;
}

/** `wait: 5s`, `wait_s: 5` and `wait_ms: 5000` say the same; in milliseconds. Of the three one may stand. */
export function durationKey<T>(options: KeyOptions<T | number>, bounds: DurationBounds = {}): Key<T | number> {
  return spellDuration(options, durationText(bounds), bounds);
}

/** The same, and null may stand under the first name. */
export function durationOrNullKey<T>(
  options: KeyOptions<T | number | null>,
  bounds: DurationBounds = {},
): Key<T | number | null> {
  return spellDuration(options, orNull(durationText(bounds)), bounds);
}

/** So many, whatever the unit: some centuries. */
const MOST_UNITS = 1e12;

function spellDuration<T>(options: KeyOptions<T>, inText: Field<T>, bounds: DurationBounds): Key<T | number> {
  const inUnits = (unitMs: number, about: string): Field<number> => {
    const count = number({ ...(bounds.zero === true ? { from: 0 } : { above: 0 }), to: MOST_UNITS });
    return annotate(
      {
        ...count,
        read: (value, place) => {
          const units = count.read(value, place);
          return units === undefined ? undefined : units * unitMs;
        },
      },
      { about },
    );
  };
  const { name } = options;
  return {
    ...describe(options, inText.allowed),
    keys: [],
    spellings: [
      { name, field: annotate(inText, options) },
      { name: `${name}_s`, field: inUnits(SECOND_MS, `${name} in seconds`) },
      { name: `${name}_ms`, field: inUnits(1, `${name} in milliseconds`) },
    ],
  };
}

/** Controllers that look more often than this would keep time from going on. */
const LEAST_PERIOD_MS = 1;

/** For the check of a mapping with `every`: a period of some length. */
export function checkPeriod(everyMs: number | undefined, place: Place): void {
  if (everyMs === undefined || everyMs >= LEAST_PERIOD_MS) return;
  mistakeAt(placeOfKey(place, 'every'), `must be at least ${LEAST_PERIOD_MS}ms`);
}

function durationText(bounds: DurationBounds): Field<number> {
  const positive = bounds.zero === true ? '' : '(?!0+(\\.0+)?[a-z])';
  // So many digits that neither infinity nor zero comes of them.
  const source = `^${positive}[0-9]{1,12}(\\.[0-9]{1,9})?(ms|s|m|h|d)$`;
  const example = bounds.zero === true ? '0s, 250ms, 5s or 1m' : '250ms, 5s or 1m';
  // Every text that matches is a duration.
  const duration = pattern(`a duration such as ${example}`, source, ([whole]) => parseDurationMs(whole ?? '') ?? 0);
  return bounds.unlimited === true ? orUnlimited(duration) : duration;
}

function describe<T>(options: KeyOptions<T>, allowed: string) {
  const { name, about, absent, defaultText } = options;
  const isPlain = typeof absent === 'number' || typeof absent === 'string' || typeof absent === 'boolean';
  return {
    name,
    about,
    allowed,
    absent,
    defaultText: absent === undefined ? null : (defaultText ?? (isPlain ? String(absent) : 'off')),
  };
}

function annotate<T>(field: Field<T>, { about }: { readonly about: string }): Field<T> {
  return { ...field, schema: { description: about, ...field.schema } };
}

/** One key for each property of T. */
export type Keys<T> = { readonly [Property in keyof T]: Key<T[Property]> };

export interface RecordOptions<T> {
  /** As in "must be a mapping of name and weight". */
  readonly what: string;
  /** Looks at the values that are right by themselves: what is wrong is absent. */
  readonly check?: (parts: Partial<T>, place: Place) => void;
}

/** A mapping with known keys; others are refused. */
export function record<T extends object>(keys: Keys<T>, options: RecordOptions<T>): Field<T> {
  // Seam: the keys of a mapped type, which Object.entries forgets.
  const properties = Object.entries(keys) as [string, Key<unknown>][];
  const spelled = new Map<string, { property: string; field: Field<unknown> }>();
  for (const [property, { spellings }] of properties) {
    for (const { name, field } of spellings) spelled.set(name, { property, field });
  }
  const known = properties.map(([, { name, spellings }]) => (spellings.length > 1 ? `${name}[_s|_ms]` : name));
  return {
    allowed: options.what,
    schema: schemaOf(properties.map(([, one]) => one)),
    keys: properties.map(([, one]) => one),
    read: (value, place) => {
      const entries = entriesOf(value);
      if (entries === null) return mistakeAt(place, `must be ${options.what}, not ${describeValue(value)}`);
      const before = place.mistakes.count;
      const parts = new Map<string, unknown>();
      const seen = new Map<string, string>();
      for (const [name, item] of entries) {
        const spelling = spelled.get(name);
        if (spelling === undefined) {
          const hint = didYouMean(name, [...spelled.keys()]);
          mistakeAt(placeOfKey(place, name), `is not a key here${hint}, known: ${known.join(', ')}`);
          continue;
        }
        const twin = seen.get(spelling.property);
        if (twin !== undefined) mistakeAt(placeOfKey(place, name), `says again what ${twin} says`);
        seen.set(spelling.property, name);
        const read = spelling.field.read(item, placeOfKey(place, name));
        if (read !== undefined) parts.set(spelling.property, read);
      }
      for (const [property, { name, absent, allowed }] of properties) {
        if (seen.has(property)) continue;
        if (absent === undefined) mistakeAt(placeOfKey(place, name), `is missing: ${allowed}`);
        else parts.set(property, absent);
      }
      // Seam: each property was read by the field that its key declares for it.
      const read = Object.fromEntries(parts) as Partial<T>;
      options.check?.(read, place);
      if (place.mistakes.count > before) return undefined;
      assertInvariant(parts.size === properties.length, 'a mapping without mistakes has all of its parts');
      // Seam: all of them are there.
      return read as T;
    },
  };
}

function schemaOf(keys: readonly Key<unknown>[]): JsonSchema {
  const isRequired = ({ absent }: Key<unknown>) => absent === undefined;
  const nameOf = ({ name }: { readonly name: string }) => ({ required: [name] });
  const spellings = keys.flatMap((one) => one.spellings);
  const exclusions = keys.flatMap((one): JsonSchema[] => {
    if (one.spellings.length === 1) return [];
    if (isRequired(one)) return [{ oneOf: one.spellings.map(nameOf) }];
    return pairs(one.spellings).map((pair) => ({ not: { required: pair.map(({ name }) => name) } }));
  });
  const required = keys.filter((one) => isRequired(one) && one.spellings.length === 1).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(spellings.map(({ name, field }) => [name, field.schema])),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...(exclusions.length === 0 ? {} : { allOf: exclusions }),
  };
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((left, index) => items.slice(index + 1).map((right): [T, T] => [left, right]));
}

/** Mappings told apart by the word under `kind`; the word alone stands for a mapping with nothing else. */
export function byKind<T>(kinds: ReadonlyMap<string, Field<T>>): Field<T> {
  const words = [...kinds.keys()];
  const allowed = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return {
    allowed: `${allowed}, or a mapping with that kind`,
    schema: { anyOf: [{ enum: words }, ...Array.from(kinds.values(), ({ schema }) => schema)] },
    keys: Array.from(kinds.values()).flatMap(({ keys }) => keys ?? []),
    read: (value, place) => {
      const isWord = typeof value === 'string';
      const entries = isWord ? [['kind', value] as const] : entriesOf(value);
      if (entries === null) return mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}`);
      const whole = new Map(entries);
      const kind = whole.get('kind');
      const field = typeof kind === 'string' ? kinds.get(kind) : undefined;
      if (field !== undefined) return field.read(whole, place);
      const hint = typeof kind === 'string' ? didYouMean(kind, words) : '';
      return mistakeAt(
        isWord ? place : placeOfKey(place, 'kind'),
        `must be ${allowed}, not ${describeValue(kind)}${hint}`,
      );
    },
  };
}
