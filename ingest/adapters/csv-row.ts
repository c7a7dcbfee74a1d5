import { type Rejection, reject } from '../event/decision-event.ts';
import type { DecisionField } from '../event/event-fields.ts';
import type { WireResult } from '../event/json-object.ts';
import { EARLIEST_MS, LATEST_MS, parseTimeMs } from '../event/parse-time.ts';
import { cellNumber } from './cell.ts';
import { type CsvMapping, type FieldSource, TIME_FIELDS, type TimeField } from './csv-mapping.ts';
import type { DurationUnit, TimeUnit } from './log-values.ts';

type Row = Readonly<Record<string, string>>;
type Value = string | number | boolean | null;

/** Fields whose cells are read as numbers; times and `promoted` are read in their own ways, all others are texts. */
const NUMBER_FIELDS: ReadonlySet<DecisionField> = new Set<DecisionField>([
  'cost_estimate',
  'cost',
  'input_tokens',
  'output_tokens',
  'slots',
  'attempt',
  'retry_after_ms',
  'weight',
  'queue_depth',
  'wait_budget_ms',
]);
const TIME_FIELD_SET: ReadonlySet<DecisionField> = new Set<DecisionField>(TIME_FIELDS);
const MS_PER_UNIT: Readonly<Record<DurationUnit, number>> = { ms: 1, s: 1e3, us: 1e-3, ns: 1e-6 };
const DECIMAL = /^(\d+)(?:\.(\d*))?$/;

/** Milliseconds of a decimal text in a unit, cut (not rounded) to the millisecond; done on digits, so exact for nanoseconds. */
function shiftToMs(text: string, unit: DurationUnit): number {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return Number.NaN;
  const [, whole = '', fraction = ''] = match;
  switch (unit) {
    case 'ms':
      return Number(whole);
    case 's':
      return Number(whole + fraction.slice(0, 3).padEnd(3, '0'));
    case 'us':
      return Number(whole.slice(0, -3));
    case 'ns':
      return Number(whole.slice(0, -6));
  }
}

function timeOfCell(cell: string, unit: TimeUnit | null, field: string): number | Rejection {
  if (unit === null) return parseTimeMs(DECIMAL.test(cell) ? Number(cell) : cell, field);
  if (unit === 'rfc3339') return parseTimeMs(cell, field);
  const timeMs = shiftToMs(cell, unit);
  if (Number.isNaN(timeMs)) return reject('time_format', `${field} must be a number: the mapping says unit ${unit}`);
  if (timeMs >= EARLIEST_MS && timeMs < LATEST_MS) return timeMs;
  const detail = `${field} is outside the years 1973 to 2100 when read in ${unit}: check the unit in the mapping`;
  return reject('out_of_range', detail);
}

/** Reads the cells of one row; remembers the first fault. */
class RowReader {
  fault: Rejection | null = null;
  private readonly row: Row;
  private readonly mapping: CsvMapping;

  constructor(row: Row, mapping: CsvMapping) {
    this.row = row;
    this.mapping = mapping;
  }

  value(field: DecisionField): Value {
    const source = this.mapping.sources.get(field);
    if (source === undefined) return null;
    switch (source.kind) {
      case 'constant':
        return source.value;
      case 'sum':
        return this.sum(field, source);
      case 'column':
        return this.column(field, source);
    }
  }

  private cell(column: string): string | null {
    // A mapping may name what every object answers to.
    const cell = Object.hasOwn(this.row, column) ? this.row[column] : undefined;
    return cell === undefined || this.mapping.absent.has(cell) ? null : cell;
  }

  private keep<T>(result: T | Rejection): T | null {
    if (typeof result !== 'object' || result === null || !('kind' in result)) return result;
    this.fault ??= result;
    return null;
  }

  private column(field: DecisionField, source: Extract<FieldSource, { kind: 'column' }>): Value {
    const cell = this.cell(source.column);
    if (cell === null) return null;
    if (TIME_FIELD_SET.has(field)) return this.keep<Value>(timeOfCell(cell, source.unit, field));
    const text = source.values === null ? cell : this.listed(field, cell, source.values, source.fallback);
    if (text === null) return null;
    if (NUMBER_FIELDS.has(field)) return this.keep<Value>(cellNumber(text, field));
    if (field === 'promoted') return this.flag(text);
    return text;
  }

  private listed(
    field: string,
    cell: string,
    values: ReadonlyMap<string, string>,
    fallback: string | null | undefined,
  ): string | null {
    const value = values.get(cell) ?? fallback;
    if (value !== undefined) return value;
    const detail = `${field} has a text that the mapping does not list: add it to map, or give a default`;
    this.fault ??= reject('unknown_value', detail);
    return null;
  }

  private flag(text: string): Value {
    if (/^(true|1)$/i.test(text)) return true;
    if (/^(false|0)$/i.test(text)) return false;
    this.fault ??= reject('wrong_type', 'promoted must be true, false, 1 or 0');
    return null;
  }

  private baseMs(field: string, source: Extract<FieldSource, { kind: 'sum' }>): number | null {
    const { base } = source;
    switch (base.kind) {
      case 'constant':
        return base.timeMs;
      case 'field':
        return this.timeField(base.field);
      case 'column': {
        const cell = this.cell(base.column);
        return cell === null ? null : this.keep<number>(timeOfCell(cell, base.unit, field));
      }
    }
  }

  private timeField(field: TimeField): number | null {
    const value = this.value(field);
    if (typeof value === 'number' || value === null) return value;
    return this.keep<number>(parseTimeMs(value, field));
  }

  /** The time that a base and durations give; null when one of them is not there. */
  private sum(field: string, source: Extract<FieldSource, { kind: 'sum' }>): number | null {
    const baseMs = this.baseMs(field, source);
    if (baseMs === null) return null;
    let durationMs = 0;
    for (const [columns, sign] of [[source.add, 1] as const, [source.subtract, -1] as const]) {
      for (const column of columns) {
        const duration = this.keep<number | null>(cellNumber(this.cell(column) ?? undefined, column));
        if (duration === null) return null;
        durationMs += sign * duration * MS_PER_UNIT[source.unit];
      }
    }
    return baseMs + Math.round(durationMs);
  }
}

/** The columns of a file and, settled for them once, which fields they feed and which of them become labels. */
interface RowPlan {
  readonly columns: readonly string[];
  readonly fields: readonly DecisionField[];
  readonly labels: readonly string[];
}

function planFor(columns: readonly string[], mapping: CsvMapping): RowPlan {
  const used = new Set<string>([...mapping.namedColumns, ...mapping.sources.keys()]);
  const fields = [...mapping.sources].filter(
    ([, source]) => source.kind !== 'column' || columns.includes(source.column),
  );
  return { columns, fields: fields.map(([field]) => field), labels: columns.filter((column) => !used.has(column)) };
}

function hasColumns(row: Row, columns: readonly string[]): boolean {
  let index = 0;
  for (const column in row) if (column !== columns[index++]) return false;
  return index === columns.length;
}

/**
 * A function from one CSV row to the wire form. Columns that the mapping does not use become unknown fields under their
 * own names, but for those that bear the name of a field which the mapping takes from elsewhere.
 */
export function rowReader(mapping: CsvMapping): (row: Row) => WireResult {
  let plan = planFor([], mapping);
  return (row) => {
    // Rows of one file have the same columns: the plan of the last row nearly always holds.
    if (!hasColumns(row, plan.columns)) plan = planFor(Object.keys(row), mapping);
    const reader = new RowReader(row, mapping);
    const wire: Record<string, unknown> = {};
    for (const field of plan.fields) wire[field] = reader.value(field);
    for (const column of plan.labels) {
      const cell = row[column];
      if (cell !== undefined && !mapping.absent.has(cell)) wire[column] = cell;
    }
    return reader.fault === null ? { ok: true, value: wire } : { ok: false, outcome: reader.fault };
  };
}
