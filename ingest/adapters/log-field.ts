import type { FieldReader } from '../event/field-reader.ts';
import { isJsonObject, type JsonObject } from '../event/json-object.ts';
import type { Getter } from './field-path.ts';
import { type DurationUnit, durationOf, numberOf, type TimeUnit, timeOf } from './log-values.ts';

/** One field of a format's records, under the name that this site's log gives it. Absent values are null. */
export class LogField {
  /** For messages. */
  readonly name: string;
  protected readonly get: Getter;

  constructor(name: string, get: Getter) {
    this.name = name;
    this.get = get;
  }

  /** As it stands in the record; undefined where there is nothing. */
  raw(record: JsonObject): unknown {
    return this.get(record);
  }
}

export class TextField extends LogField {
  /** A text, or a number as text; anything else is a fault. */
  read(reader: FieldReader, record: JsonObject): string | null {
    const value = this.get(record);
    if (typeof value === 'string') return value;
    if (value === undefined) return null;
    if (typeof value === 'number') {
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        return reader.fail(
          'number_precision',
          `${this.name} is beyond 2^53 - 1, where numbers lose digits: log a text`,
        );
      }
      return String(value);
    }
    return reader.fail('wrong_type', `${this.name} must be a text`);
  }
}

export class NumberField extends LogField {
  /** A number, also in quotes; may be negative. */
  signed(reader: FieldReader, record: JsonObject): number | null {
    const value = this.get(record);
    if (value === undefined) return null;
    const figure = numberOf(value);
    return Number.isFinite(figure) ? figure : reader.fail('wrong_type', `${this.name} must be a number`);
  }

  /** A number where there is one, null for anything else: for what is a number only at times. */
  lenient(record: JsonObject): number | null {
    const figure = numberOf(this.get(record));
    return Number.isFinite(figure) ? figure : null;
  }

  /** A number in [0, 2⁵³ − 1]. */
  read(reader: FieldReader, record: JsonObject): number | null {
    const value = this.get(record);
    if (value === undefined) return null;
    if (typeof value === 'number') return reader.number(this.name, value, 0);
    const figure = numberOf(value);
    if (Number.isNaN(figure)) return reader.fail('wrong_type', `${this.name} must be a number`);
    return reader.number(this.name, figure, 0);
  }

  /** A whole number in [0, 2⁵³ − 1]. */
  count(reader: FieldReader, record: JsonObject): number | null {
    const figure = this.read(reader, record);
    return figure === null || Number.isInteger(figure)
      ? figure
      : reader.fail('wrong_type', `${this.name} must be a whole number`);
  }
}

export class TimeField extends LogField {
  readonly unit: TimeUnit | null;

  constructor(name: string, get: Getter, unit: TimeUnit | null) {
    super(name, get);
    this.unit = unit;
  }

  /** Epoch ms, whole. */
  read(reader: FieldReader, record: JsonObject): number | null {
    const value = this.get(record);
    if (value === undefined) return null;
    const timeMs = timeOf(value, this.unit, this.name);
    if (typeof timeMs === 'number') return timeMs;
    return reader.fail(timeMs.code, timeMs.detail);
  }
}

export class DurationField extends LogField {
  readonly unit: DurationUnit;

  constructor(name: string, get: Getter, unit: DurationUnit) {
    super(name, get);
    this.unit = unit;
  }

  /** Milliseconds ≥ 0 with their fraction. */
  read(reader: FieldReader, record: JsonObject): number | null {
    const value = this.get(record);
    if (value === undefined) return null;
    const durationMs = durationOf(value, this.unit, this.name);
    if (typeof durationMs === 'number') return durationMs;
    return reader.fail(durationMs.code, durationMs.detail);
  }
}

export class ListField extends LogField {
  /** How many items a list has; null for what is no list. */
  length(record: JsonObject): number | null {
    const value = this.get(record);
    return Array.isArray(value) ? value.length : null;
  }
}

export class ObjectField extends LogField {
  object(record: JsonObject): JsonObject | null {
    const value = this.get(record);
    return isJsonObject(value) ? value : null;
  }
}
