import { choice, type Field } from '../../policy/field.ts';
import type { Item, ReadList } from '../../policy/list-fields.ts';
import { mistakeAt, type Place, placeOfKey } from '../../policy/mistakes.ts';
import { durationKey, type Key, key } from '../../policy/record.ts';
import type { Span } from '../rate-profile.ts';

export const MAPPING = { what: 'a mapping' };

export function kindKey<Kind extends string>(kind: Kind, about: string): Key<Kind> {
  return key({ name: 'kind', about }, choice(new Map([[kind, kind]])));
}

export const fromKey = durationKey<never>({ name: 'from', about: 'Start of the span.' }, { zero: true });
export const toKey = durationKey<never>({ name: 'to', about: 'End of the span, exclusive.' }, { zero: true });

/** Spans must have a length and come one after the other. */
export function checkSpans(spans: readonly Item<Span>[]): void {
  let endMs = 0;
  for (const { value, place } of spans) {
    if (value.toMs <= value.fromMs) mistakeAt(place, 'must end after it begins');
    else if (value.fromMs < endMs) mistakeAt(place, 'must begin where the span before it ends, or later');
    endMs = Math.max(endMs, value.toMs);
  }
}

export function checkRange({ from, to }: { readonly from?: number; readonly to?: number }, place: Place): void {
  if (from !== undefined && to !== undefined && to < from) mistakeAt(placeOfKey(place, 'to'), 'must be at least from');
}

/** A field made of another by a function. */
export function mapped<T, U>(field: Field<T>, make: (value: T) => U): Field<U> {
  return {
    ...field,
    read: (value, place) => {
      const read = field.read(value, place);
      return read === undefined ? undefined : make(read);
    },
  };
}

/** What a list holds, without the places of its items. */
export function valuesOf<T>(field: Field<ReadList<T>>): Field<readonly T[]> {
  return {
    ...field,
    read: (value, place) => {
      const read = field.read(value, place);
      return read?.isWhole === true ? read.items.map((item) => item.value) : undefined;
    },
  };
}
