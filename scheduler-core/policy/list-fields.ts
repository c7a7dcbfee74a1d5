import { entriesOf, type Field } from './field.ts';
import { describeValue, mistakeAt, type Place, placeOfItem, placeOfKey, quote } from './mistakes.ts';

/** A value with where it stands. */
export interface Item<T> {
  readonly value: T;
  readonly place: Place;
}

/** What was read of a list: items that are right can be checked further although others are not. */
export interface ReadList<T> {
  readonly items: readonly Item<T>[];
  /** Whether all of them are. */
  readonly isWhole: boolean;
}

export interface ListOptions<T> {
  /** As in "must be a list of tenants". */
  readonly what: string;
  /** How many items there must be; default 0. */
  readonly least?: number;
  /** No two items have the same text under this key. */
  readonly unique?: string;
  readonly check?: (items: readonly Item<T>[]) => void;
}

export function list<T>(item: Field<T>, options: ListOptions<T>): Field<ReadList<T>> {
  const least = options.least ?? 0;
  return {
    allowed: options.what,
    schema: { type: 'array', items: item.schema, ...(least > 0 ? { minItems: least } : {}) },
    ...(item.keys === undefined ? {} : { keys: item.keys }),
    read: (value, place) => {
      if (!Array.isArray(value)) return mistakeAt(place, `must be ${options.what}, not ${describeValue(value)}`);
      if (value.length < least) return mistakeAt(place, 'must not be empty');
      if (options.unique !== undefined) refuseTwins(value, options.unique, place);
      const items: Item<T>[] = [];
      for (const [index, each] of value.entries()) {
        const itemPlace = placeOfItem(place, index);
        const read = item.read(each, itemPlace);
        if (read !== undefined) items.push({ value: read, place: itemPlace });
      }
      options.check?.(items);
      return { items, isWhole: items.length === value.length };
    },
  };
}

function refuseTwins(items: readonly unknown[], key: string, place: Place): void {
  const firstOf = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    for (const [name, value] of entriesOf(item) ?? []) {
      if (name !== key || typeof value !== 'string') continue;
      const first = firstOf.get(value);
      if (first === undefined) firstOf.set(value, index);
      else {
        const twin = placeOfKey(placeOfItem(place, index), key);
        mistakeAt(twin, `${quote(value)} is already named by ${placeOfItem(place, first).path}`);
      }
    }
  }
}

/** An entry of a mapping from names. */
export interface NamedValue<T> {
  readonly name: string;
  readonly value: T;
}

/** A mapping from names that the file chooses, in their order. */
export function named<T>(field: Field<T>, what: string): Field<ReadList<NamedValue<T>>> {
  return {
    allowed: what,
    schema: { type: 'object', additionalProperties: field.schema, propertyNames: { minLength: 1 } },
    ...(field.keys === undefined ? {} : { keys: field.keys }),
    read: (value, place) => {
      const entries = entriesOf(value);
      if (entries === null) return mistakeAt(place, `must be ${what}, not ${describeValue(value)}`);
      const items: Item<NamedValue<T>>[] = [];
      let isWhole = true;
      for (const [name, each] of entries) {
        const itemPlace = placeOfKey(place, name);
        if (name === '') mistakeAt(itemPlace, 'must have a name that is not empty');
        const value = field.read(each, itemPlace);
        if (value === undefined) isWhole = false;
        else items.push({ value: { name, value }, place: itemPlace });
      }
      return { items, isWhole };
    },
  };
}
