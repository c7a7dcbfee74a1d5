import type { JsonObject } from '../event/json-object.ts';
import { collectLabels, MAX_LABELS_BYTES } from '../event/labels.ts';
import { compileAlternatives, type Getter } from './field-path.ts';

/** Makes the event's labels of a record: JSON text with sorted keys, or null when there are none. */
export type LabelWriter = (record: JsonObject) => string | null;

/** The label of a field is its last name: `error_information.error_class` becomes `error_class`. */
function labelKey(name: string): string {
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name;
}

interface Labelled {
  readonly key: string;
  readonly prefix: string;
  readonly get: Getter;
}

/** No text of so many UTF-16 units can be over the limit in UTF-8, braces and commas included. */
const SURELY_SHORT = Math.floor(MAX_LABELS_BYTES / 3) - 2;

/** Labels from named fields. Keys that end alike keep their whole name. */
export function namedLabels(names: readonly string[], isDashAbsent: boolean): LabelWriter {
  const unique = [...new Set(names)];
  const keys = unique.map(labelKey);
  const labelled = unique
    .map((name, index): Labelled => {
      const short = keys[index] ?? name;
      const key = keys.indexOf(short) === keys.lastIndexOf(short) ? short : name;
      return { key, prefix: `${JSON.stringify(key)}:`, get: compileAlternatives([name], isDashAbsent) };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const general = (record: JsonObject): string | null =>
    collectLabels(Object.fromEntries(labelled.map(({ key, get }) => [key, get(record)])), NOTHING);
  return (record) => {
    let text = '';
    for (const { prefix, get } of labelled) {
      const value = get(record);
      if (value === undefined) continue;
      if (typeof value === 'object' || typeof value === 'function') return general(record);
      if (typeof value === 'string' && value.length > SURELY_SHORT) return general(record);
      text += `${text === '' ? '{' : ','}${prefix}${JSON.stringify(value)}`;
    }
    if (text.length > SURELY_SHORT) return general(record);
    return text === '' ? null : `${text}}`;
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Labels of every top-level field that the format does not read. */
export function unreadLabels(read: ReadonlySet<string>): LabelWriter {
  return (record) => collectLabels(record, read);
}
