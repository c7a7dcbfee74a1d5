import { PROVENANCES, type Provenance } from '../event/decision-event.ts';
import { DECISION_FIELDS, type DecisionField } from '../event/event-fields.ts';
import { isJsonObject } from '../event/json-object.ts';
import { rfc3339Ms } from '../event/parse-time.ts';
import type { Mistakes } from './adapter-options.ts';
import { DURATION_UNITS, type DurationUnit, TIME_UNITS, type TimeUnit } from './log-values.ts';
import { checkKeys, readChoice, readTexts, readValues } from './mapping-values.ts';

export const TIME_FIELDS = ['arrived_at', 'dispatched_at', 'completed_at'] as const;
export type TimeField = (typeof TIME_FIELDS)[number];

/** Where a time begins that durations are added to. */
export type SumBase =
  | { readonly kind: 'field'; readonly field: TimeField }
  | { readonly kind: 'column'; readonly column: string; readonly unit: TimeUnit | null }
  | { readonly kind: 'constant'; readonly timeMs: number };

/** Where an event's field comes from. */
export type FieldSource =
  | {
      readonly kind: 'column';
      readonly column: string;
      readonly unit: TimeUnit | null;
      /** Cell text to value; null: the cell itself. A text that is not listed is `fallback`, or refused without one. */
      readonly values: ReadonlyMap<string, string> | null;
      readonly fallback: string | null | undefined;
    }
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | {
      readonly kind: 'sum';
      readonly base: SumBase;
      readonly add: readonly string[];
      readonly subtract: readonly string[];
      readonly unit: DurationUnit;
    };

export interface CsvMapping {
  readonly delimiter: string;
  /** Cell texts that mean "not there", besides the empty one. */
  readonly absent: ReadonlySet<string>;
  /** For each field of the event; those that the mapping does not name come from the column of their name. */
  readonly sources: ReadonlyMap<DecisionField, FieldSource>;
  /** Columns that the mapping names. */
  readonly namedColumns: readonly string[];
  readonly tenantProvenance: Provenance | null;
  readonly waitProvenance: Provenance | null;
}

interface Context {
  readonly mistakes: Mistakes;
  readonly timeUnit: TimeUnit | null;
}

function isTimeField(field: string): field is TimeField {
  return TIME_FIELDS.some((timeField) => timeField === field);
}

function readBase(value: unknown, path: string, context: Context): SumBase | null {
  const { mistakes, timeUnit } = context;
  if (typeof value === 'string' && value !== '') {
    return isTimeField(value) ? { kind: 'field', field: value } : { kind: 'column', column: value, unit: timeUnit };
  }
  if (isJsonObject(value) && typeof value.column === 'string') {
    checkKeys(value, ['column', 'unit'], path, mistakes);
    const unit = readChoice(value.unit, TIME_UNITS, timeUnit, (mistake) => mistakes.add(`${path}.unit`, mistake));
    return { kind: 'column', column: value.column, unit };
  }
  if (isJsonObject(value) && typeof value.value === 'string') {
    checkKeys(value, ['value'], path, mistakes);
    const timeMs = rfc3339Ms(value.value);
    if (!Number.isNaN(timeMs)) return { kind: 'constant', timeMs };
    mistakes.add(`${path}.value`, 'must be an RFC 3339 time with a zone');
    return null;
  }
  mistakes.add(path, 'must be one of arrived_at, dispatched_at, completed_at, a column, or { value: TIME }');
  return null;
}

function readSum(value: Readonly<Record<string, unknown>>, path: string, context: Context): FieldSource | null {
  const { mistakes } = context;
  checkKeys(value, ['add', 'subtract', 'unit'], path, mistakes);
  if (!Array.isArray(value.add) || value.add.length === 0) {
    mistakes.add(`${path}.add`, 'must be a list: a time, then columns of durations');
    return null;
  }
  const [first, ...rest]: readonly unknown[] = value.add;
  const base = readBase(first, `${path}.add[0]`, context);
  const add = readTexts(rest, `${path}.add`, mistakes);
  const subtract = readTexts(value.subtract, `${path}.subtract`, mistakes);
  const unit = readChoice(value.unit, DURATION_UNITS, null, (mistake) => mistakes.add(`${path}.unit`, mistake));
  if (unit === null) {
    if (value.unit === undefined) mistakes.add(`${path}.unit`, `is needed: one of ${DURATION_UNITS.join(', ')}`);
    return null;
  }
  return base === null ? null : { kind: 'sum', base, add, subtract, unit };
}

function readColumn(
  value: Readonly<Record<string, unknown>>,
  path: string,
  isTime: boolean,
  context: Context,
): FieldSource | null {
  const { mistakes } = context;
  const { column, default: fallback } = value;
  checkKeys(value, isTime ? ['column', 'unit'] : ['column', 'map', 'default'], path, mistakes);
  if (typeof column !== 'string' || column === '') {
    mistakes.add(`${path}.column`, 'must be the name of a column');
    return null;
  }
  const unit = readChoice(value.unit, TIME_UNITS, context.timeUnit, (mistake) => mistakes.add(`${path}.unit`, mistake));
  const values = readValues(value.map, `${path}.map`, mistakes);
  if (fallback !== undefined && fallback !== null && typeof fallback !== 'string') {
    mistakes.add(`${path}.default`, 'must be a text or null');
    return null;
  }
  if (fallback !== undefined && values === null) mistakes.add(`${path}.default`, 'needs a map beside it');
  return { kind: 'column', column, unit: isTime ? unit : null, values, fallback };
}

function readSource(field: DecisionField, value: unknown, context: Context): FieldSource | null {
  const path = `--map fields.${field}`;
  const isTime = isTimeField(field);
  if (typeof value === 'string') return readColumn({ column: value }, path, isTime, context);
  if (!isJsonObject(value)) {
    context.mistakes.add(path, 'must be a column, { column: … }, { value: … } or, for a time, { add: […], unit: … }');
    return null;
  }
  if ('add' in value && isTime) return readSum(value, path, context);
  if (!('value' in value)) return readColumn(value, path, isTime, context);
  checkKeys(value, ['value'], path, context.mistakes);
  const constant = value.value;
  if (typeof constant === 'string' || typeof constant === 'number' || typeof constant === 'boolean') {
    return { kind: 'constant', value: constant };
  }
  context.mistakes.add(`${path}.value`, 'must be a text, a number or a boolean');
  return null;
}

/** Names every time field that is, through its sums, made of itself. */
function checkCycles(sources: ReadonlyMap<DecisionField, FieldSource>, mistakes: Mistakes): void {
  for (const field of TIME_FIELDS) {
    let source = sources.get(field);
    for (let step = 0; step < TIME_FIELDS.length && source?.kind === 'sum' && source.base.kind === 'field'; step++) {
      if (source.base.field === field) {
        mistakes.add(`--map fields.${field}.add[0]`, 'is made of itself');
        break;
      }
      source = sources.get(source.base.field);
    }
  }
}

function columnsOf(source: FieldSource): readonly string[] {
  switch (source.kind) {
    case 'column':
      return [source.column];
    case 'constant':
      return [];
    case 'sum': {
      const base = source.base.kind === 'column' ? [source.base.column] : [];
      return [...base, ...source.add, ...source.subtract];
    }
  }
}

function readSources(fields: unknown, context: Context): Map<DecisionField, FieldSource> {
  const sources = new Map<DecisionField, FieldSource>();
  if (fields === undefined) return sources;
  if (!isJsonObject(fields)) {
    context.mistakes.add('--map fields', "must map the event's fields to columns");
    return sources;
  }
  checkKeys(fields, DECISION_FIELDS, '--map fields', context.mistakes);
  for (const field of DECISION_FIELDS) {
    if (fields[field] === undefined) continue;
    const source = readSource(field, fields[field], context);
    if (source !== null) sources.set(field, source);
  }
  return sources;
}

/** The character between cells: of the mapping, else a comma. */
export function readDelimiter(mapping: unknown, mistakes: Mistakes): string {
  const delimiter = isJsonObject(mapping) ? mapping.delimiter : undefined;
  if (delimiter === undefined) return ',';
  if (typeof delimiter === 'string' && /^[^"\r\n\p{Cs}]$/u.test(delimiter) && delimiter.charCodeAt(0) < 0x80)
    return delimiter;
  mistakes.add('--map delimiter', 'must be one ASCII character, neither a quote nor a newline');
  return ',';
}

/** Checks a `--map` document (format: see `csvAdapter`); every mistake is added with its path. */
export function readCsvMapping(mapping: unknown, mistakes: Mistakes): CsvMapping {
  const document = mapping ?? {};
  const known = isJsonObject(document) ? document : {};
  if (!isJsonObject(document))
    mistakes.add('--map', 'must be a mapping with fields, time_unit, delimiter, absent, provenance');
  checkKeys(known, ['delimiter', 'time_unit', 'absent', 'fields', 'provenance'], '--map', mistakes);
  const report = (path: string) => (mistake: string) => mistakes.add(`--map ${path}`, mistake);
  const timeUnit = readChoice(known.time_unit, TIME_UNITS, null, report('time_unit'));
  const named = readSources(known.fields, { mistakes, timeUnit });
  checkCycles(named, mistakes);
  const sources = new Map<DecisionField, FieldSource>();
  for (const field of DECISION_FIELDS) {
    const ownColumn = { kind: 'column', column: field, unit: isTimeField(field) ? timeUnit : null } as const;
    sources.set(field, named.get(field) ?? { ...ownColumn, values: null, fallback: undefined });
  }
  const provenance = isJsonObject(known.provenance) ? known.provenance : {};
  if (known.provenance !== undefined && provenance !== known.provenance)
    mistakes.add('--map provenance', 'must be a mapping');
  checkKeys(provenance, ['tenant', 'wait'], '--map provenance', mistakes);
  return {
    delimiter: readDelimiter(known, mistakes),
    absent: new Set(['', ...readTexts(known.absent, '--map absent', mistakes)]),
    sources,
    namedColumns: [...new Set([...named.values()].flatMap(columnsOf))],
    tenantProvenance: readChoice(provenance.tenant, PROVENANCES, null, report('provenance.tenant')),
    waitProvenance: readChoice(provenance.wait, PROVENANCES, null, report('provenance.wait')),
  };
}
