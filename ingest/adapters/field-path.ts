import { isJsonObject, type JsonObject } from '../event/json-object.ts';

/** Finds a value in a record; undefined where there is none. */
export type Getter = (record: JsonObject) => unknown;

const INHERITED: JsonObject = {};

/** Longer paths are refused: nobody nests so deep, and the search below tries every way to cut them. */
export const MAX_PATH_DOTS = 8;

/** What stands under `name`, trying the whole name as a key before each of its cuts at a dot. */
function search(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  // Seam: an array answers to its indices as an object does to its keys.
  const holder = value as JsonObject;
  if (Object.hasOwn(holder, name)) return holder[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot);
    if (!Object.hasOwn(holder, head)) continue;
    const found = search(holder[head], name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A getter for a field's name: a key, or keys joined by dots. A key that has dots in it (`gen_ai.usage.input_tokens`) is
 * found too: the longer key is tried first. Lists are entered by index (`request_tags.0`).
 */
export function compilePath(name: string): Getter {
  const parts = name.split('.');
  const [first = '', second] = parts;
  // Names that every object answers to are looked for with care.
  if (parts.length > 2 || parts.some((part) => part in INHERITED)) return (record) => search(record, name);
  if (second === undefined) return (record) => record[first];
  return (record) => {
    const whole = record[name];
    if (whole !== undefined) return whole;
    const child = record[first];
    return isJsonObject(child) ? child[second] : search(child, second);
  };
}

/** The first of several names under which there is something; null and, where asked, `-` count as nothing. */
export function compileAlternatives(names: readonly string[], isDashAbsent: boolean): Getter {
  const getters = names.map(compilePath);
  const [only] = getters;
  if (only === undefined) return () => undefined;
  const isThere = (value: unknown): boolean =>
    value !== undefined && value !== null && value !== '' && !(isDashAbsent && value === '-');
  if (getters.length === 1) {
    return (record) => {
      const value = only(record);
      return isThere(value) ? value : undefined;
    };
  }
  return (record) => {
    for (const getter of getters) {
      const value = getter(record);
      if (isThere(value)) return value;
    }
    return undefined;
  };
}
