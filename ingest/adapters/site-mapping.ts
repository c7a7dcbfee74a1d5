import { REJECT_REASONS, type RejectReason } from '../event/decision-event.ts';
import { isJsonObject, type JsonObject } from '../event/json-object.ts';
import type { Mistakes } from './adapter-options.ts';
import { MAX_PATH_DOTS } from './field-path.ts';
import { checkKeys, readChoice, readValues } from './mapping-values.ts';

/** Fields of the event that a site says where to find. */
export const ROLES = ['tenant', 'pool', 'class', 'gateway'] as const;
export type Role = (typeof ROLES)[number];

/** Where a site's log has the value of a role. */
export type RoleSource =
  | { readonly kind: 'constant'; readonly value: string }
  | {
      readonly kind: 'field';
      /** The first under which there is something counts. */
      readonly names: readonly string[];
      /** What a text in the log stands for; null: itself. One that is not listed is `fallback`, or refused without one. */
      readonly values: ReadonlyMap<string, string> | null;
      readonly fallback: string | null | undefined;
    };

/** What a refusal's name in the log means: the reason, or that the gateway refused nothing. */
export type RefusalMeaning = RejectReason | 'admitted';
const REFUSAL_MEANINGS: readonly RefusalMeaning[] = [...REJECT_REASONS, 'admitted'];

/** A checked `--map` document of a gateway's log: what differs from site to site. */
export interface SiteMapping {
  readonly roles: ReadonlyMap<Role, RoleSource>;
  /** What the format calls a field → what this site's log calls it, in order of preference; none: it is not there. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Units as written; which a field may have is the field's to say. */
  readonly units: ReadonlyMap<string, string>;
  /** Which of the format's costs counts; null: what follows from the pool's cost unit. */
  readonly cost: string | null;
  /** Fields to keep beside the event; null: those of the format; `all`: whatever the format does not read. */
  readonly labels: readonly string[] | 'all' | null;
  readonly refusals: ReadonlyMap<string, RefusalMeaning>;
}

const KEYS = [...ROLES, 'fields', 'units', 'cost', 'labels', 'refusals'];
const MOST_NAMES = 16;

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.split('.').length <= MAX_PATH_DOTS + 1;
}

function readNames(value: unknown, path: string, mistakes: Mistakes): readonly string[] | null {
  if (isName(value)) return [value];
  if (Array.isArray(value) && value.length > 0 && value.length <= MOST_NAMES && value.every(isName)) return value;
  mistakes.add(
    path,
    `must be a field of the log, or a list of up to ${MOST_NAMES} of which the first that is there counts`,
  );
  return null;
}

function readRole(value: unknown, path: string, mistakes: Mistakes): RoleSource | null {
  if (!isJsonObject(value)) {
    const names = readNames(value, path, mistakes);
    return names === null ? null : { kind: 'field', names, values: null, fallback: undefined };
  }
  if ('value' in value) {
    checkKeys(value, ['value'], path, mistakes);
    if (typeof value.value === 'string' && value.value !== '') return { kind: 'constant', value: value.value };
    mistakes.add(`${path}.value`, 'must be a text');
    return null;
  }
  checkKeys(value, ['field', 'map', 'default'], path, mistakes);
  const names = readNames(value.field, `${path}.field`, mistakes);
  const values = readValues(value.map, `${path}.map`, mistakes);
  const fallback = value.default;
  if (fallback !== undefined && fallback !== null && typeof fallback !== 'string') {
    mistakes.add(`${path}.default`, 'must be a text or null');
    return null;
  }
  if (fallback !== undefined && value.map === undefined) mistakes.add(`${path}.default`, 'needs a map beside it');
  return names === null ? null : { kind: 'field', names, values, fallback };
}

/** A part of the document that must be a mapping itself; an empty one where it is left out or is not. */
function section(document: JsonObject, key: string, meaning: string, mistakes: Mistakes): [string, unknown][] {
  const value = document[key];
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.entries(value);
  mistakes.add(`--map ${key}`, meaning);
  return [];
}

function readFields(document: JsonObject, mistakes: Mistakes): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  const meaning = 'must map what the format calls a field to what your log calls it';
  for (const [name, value] of section(document, 'fields', meaning, mistakes)) {
    const names = value === null ? [] : readNames(value, `--map fields.${name}`, mistakes);
    if (names !== null) fields.set(name, names);
  }
  return fields;
}

function readUnits(document: JsonObject, mistakes: Mistakes): Map<string, string> {
  const units = new Map<string, string>();
  const meaning = 'must map fields to units, as { start_time: s }';
  for (const [name, value] of section(document, 'units', meaning, mistakes)) {
    if (typeof value === 'string') units.set(name, value);
    else mistakes.add(`--map units.${name}`, 'must be a unit, such as s or ms');
  }
  return units;
}

function readRefusals(document: JsonObject, mistakes: Mistakes): Map<string, RefusalMeaning> {
  const refusals = new Map<string, RefusalMeaning>();
  const meaning = 'must map what the log says to a reason, as { "429": quota }';
  for (const [name, value] of section(document, 'refusals', meaning, mistakes)) {
    const path = `--map refusals.${name}`;
    const reason = readChoice(value, REFUSAL_MEANINGS, undefined, (mistake) => mistakes.add(path, mistake));
    if (value === null) mistakes.add(path, `must be one of ${REFUSAL_MEANINGS.join(', ')}`);
    if (reason !== undefined) refusals.set(name, reason);
  }
  return refusals;
}

function readLabels(value: unknown, mistakes: Mistakes): readonly string[] | 'all' | null {
  if (value === undefined || value === null) return null;
  if (value === 'all') return 'all';
  if (Array.isArray(value) && value.length <= 64 && value.every(isName)) return value;
  mistakes.add('--map labels', 'must be a list of up to 64 fields of the log, or all');
  return null;
}

/** Checks a `--map` document (format: docs/formats.md) as far as it can be without the format; every mistake is added. */
export function readSiteMapping(mapping: unknown, mistakes: Mistakes): SiteMapping {
  const document = mapping ?? {};
  const known = isJsonObject(document) ? document : {};
  if (!isJsonObject(document)) mistakes.add('--map', `must be a mapping with ${KEYS.join(', ')}`);
  checkKeys(known, KEYS, '--map', mistakes);
  const roles = new Map<Role, RoleSource>();
  for (const role of ROLES) {
    const value = known[role];
    if (value === undefined || value === null) continue;
    const source = readRole(value, `--map ${role}`, mistakes);
    if (source !== null) roles.set(role, source);
  }
  const { cost } = known;
  if (cost !== undefined && cost !== null && typeof cost !== 'string') mistakes.add('--map cost', 'must be a text');
  return {
    roles,
    fields: readFields(known, mistakes),
    units: readUnits(known, mistakes),
    cost: typeof cost === 'string' ? cost : null,
    labels: readLabels(known.labels, mistakes),
    refusals: readRefusals(known, mistakes),
  };
}
