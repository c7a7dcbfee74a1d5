import { describeValue, didYouMean, Mistakes, mistakeAt, type Place } from './mistakes.ts';

/** A JSON schema, draft 7. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * What may stand in one place of a policy file: read, described for people and as a JSON schema from the one
 * declaration, so that the three cannot drift.
 */
export interface Field<T> {
  /** In words, to follow "must be": `a number > 0`. */
  readonly allowed: string;
  readonly schema: JsonSchema;
  /** The value; undefined when it is none that may stand here, and then the place holds the mistakes. */
  read(value: unknown, place: Place): T | undefined;
  /** The keys of a mapping, for the page that describes them; also of the mappings in a list. */
  readonly keys?: readonly DescribedKey[];
}

/** What the page about policy files says of a key. */
export interface DescribedKey {
  /** As in the file; a duration is also known by this name with `_s` and `_ms`. */
  readonly name: string;
  readonly allowed: string;
  readonly about: string;
  /** In words; null: the key is required. */
  readonly defaultText: string | null;
  readonly keys: readonly DescribedKey[];
}

/** The entries of a mapping, however it came; null when the value is none. Keys are never looked up on an object. */
export function entriesOf(value: unknown): Iterable<readonly [string, unknown]> | null {
  if (value instanceof Map) return Array.from(value, ([key, item]) => [String(key), item] as const);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

export interface NumberBounds {
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly below?: number;
  readonly whole?: true;
}

/** A finite number within bounds. */
export function number(bounds: NumberBounds): Field<number> {
  const { above, from, to, below, whole } = bounds;
  const limits = [
    ...(above === undefined ? [] : [`> ${above}`]),
    ...(from === undefined ? [] : [`≥ ${from}`]),
    ...(to === undefined ? [] : [`≤ ${to}`]),
    ...(below === undefined ? [] : [`< ${below}`]),
  ];
  const allowed = [whole === true ? 'a whole number' : 'a number', limits.join(' and ')].join(' ').trim();
  return {
    allowed,
    schema: {
      type: whole === true ? 'integer' : 'number',
      ...(above === undefined ? {} : { exclusiveMinimum: above }),
      ...(from === undefined ? {} : { minimum: from }),
      ...(to === undefined ? {} : { maximum: to }),
      ...(below === undefined ? {} : { exclusiveMaximum: below }),
    },
    read: (value, place) => {
      const isWithin =
        typeof value === 'number' &&
        Number.isFinite(value) &&
        (whole !== true || Number.isInteger(value)) &&
        value > (above ?? Number.NEGATIVE_INFINITY) &&
        value >= (from ?? Number.NEGATIVE_INFINITY) &&
        value <= (to ?? Number.POSITIVE_INFINITY) &&
        value < (below ?? Number.POSITIVE_INFINITY);
      return isWithin ? value : mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}`);
    },
  };
}

/** The word for Infinity in a file: neither YAML's `.inf` nor JSON says it in a way that editors can check. */
export const UNLIMITED = 'unlimited';

/** What the field allows, or `unlimited`. */
export function orUnlimited(field: Field<number>): Field<number> {
  const allowed = `${field.allowed}, or ${UNLIMITED}`;
  return {
    allowed,
    schema: { anyOf: [field.schema, { const: UNLIMITED }] },
    read: (value, place) => {
      if (value === UNLIMITED) return Number.POSITIVE_INFINITY;
      // Through a list of its own: its words would leave `unlimited` out.
      const read = field.read(value, { path: place.path, mistakes: new Mistakes() });
      return read ?? mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}`);
    },
  };
}

/** What the field allows, or null. */
export function orNull<T>(field: Field<T>): Field<T | null> {
  return {
    ...field,
    schema: { anyOf: [{ type: 'null' }, field.schema] },
    read: (value, place) => (value === null ? null : field.read(value, place)),
  };
}

export function flag(): Field<boolean> {
  const allowed = 'true or false';
  return {
    allowed,
    schema: { type: 'boolean' },
    read: (value, place) =>
      typeof value === 'boolean' ? value : mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}`),
  };
}

/** A text that is not empty. Numbers are none: leading zeros and digits beyond the 15th would be lost without a word. */
export function text(what: string): Field<string> {
  return {
    allowed: what,
    schema: { type: 'string', minLength: 1 },
    read: (value, place) => {
      if (typeof value === 'string' && value !== '') return value;
      const hint = typeof value === 'number' || typeof value === 'boolean' ? ' (put it in quotes)' : '';
      return mistakeAt(place, `must be ${what}, not ${describeValue(value)}${hint}`);
    },
  };
}

/** A text of a form; `parse` makes the value of what the pattern and its groups matched. */
export function pattern<T>(
  allowed: string,
  source: string,
  parse: (groups: readonly (string | undefined)[]) => T,
): Field<T> {
  const expression = new RegExp(source, 'u');
  return {
    allowed,
    schema: { type: 'string', pattern: source },
    read: (value, place) => {
      const match = typeof value === 'string' ? expression.exec(value) : null;
      return match === null ? mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}`) : parse([...match]);
    },
  };
}

/** One of a few words, each with what it stands for. */
export function choice<T>(words: ReadonlyMap<string, T>): Field<T> {
  const known = [...words.keys()];
  const allowed = known.length === 1 ? `${known[0]}` : `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  return {
    allowed,
    schema: { enum: known },
    read: (value, place) => {
      const meant = typeof value === 'string' ? words.get(value) : undefined;
      if (meant !== undefined) return meant;
      const hint = typeof value === 'string' ? didYouMean(value, known) : '';
      return mistakeAt(place, `must be ${allowed}, not ${describeValue(value)}${hint}`);
    },
  };
}
