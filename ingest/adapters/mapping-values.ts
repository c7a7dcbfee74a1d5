import { isJsonObject } from '../event/json-object.ts';
import type { Mistakes } from './adapter-options.ts';

/** One of a closed set; null, with a mistake named, for anything else; `fallback` when it is not given. */
export function readChoice<T extends string, F>(
  value: unknown,
  allowed: readonly T[],
  fallback: F,
  report: (mistake: string) => void,
): T | F {
  if (value === undefined || value === null) return fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) report(`must be one of ${allowed.join(', ')}`);
  return found ?? fallback;
}

/** Names the keys that are not among the allowed ones. */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  path: string,
  mistakes: Mistakes,
): void {
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) mistakes.add(`${path}.${key}`, `unknown; allowed are ${allowed.join(', ')}`);
  }
}

export function readTexts(value: unknown, path: string, mistakes: Mistakes): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  mistakes.add(path, 'must be a list of texts');
  return [];
}

export function readValues(value: unknown, path: string, mistakes: Mistakes): ReadonlyMap<string, string> | null {
  if (value === undefined) return null;
  if (!isJsonObject(value)) {
    mistakes.add(path, 'must map texts to values, as { "429": rejected }');
    return null;
  }
  const values = new Map<string, string>();
  for (const [cell, item] of Object.entries(value)) {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
      values.set(cell, String(item));
    else mistakes.add(`${path}.${cell}`, 'must be a text, a number or a boolean');
  }
  return values;
}
