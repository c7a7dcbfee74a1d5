import { type RecordRejectCode, type Rejection, reject } from './decision-event.ts';
import { parseTimeMs } from './parse-time.ts';

const MAX_SAFE = Number.MAX_SAFE_INTEGER;
/** C0, DEL and C1 controls, and (in `u` mode, where pairs match as one) lone surrogates. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** True when every character is printable ASCII: the common case, decided without a regular expression. */
function isPlainAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Whether a text has more than `max` code points; an astral character counts as one. */
function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let codePoints = 0;
  for (const _ of text) codePoints++;
  return codePoints > max;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Checks the fields of one record and remembers the first fault. Every method takes the field's name on the wire and its
 * value; `null` and `undefined` are both "absent". After a fault the values returned mean nothing: read `fault` last.
 */
export class FieldReader {
  fault: Rejection | null = null;

  fail(code: RecordRejectCode, detail: string): null {
    this.fault ??= reject(code, detail);
    return null;
  }

  /** A text of at most `max` code points without control characters; an empty one is absent. */
  text(field: string, value: unknown, max: number): string | null {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value !== 'string') return this.fail('wrong_type', `${field} must be a string, not ${typeName(value)}`);
    if (isLongerThan(value, max)) {
      return this.fail('value_too_long', `${field} is longer than ${max} characters: shorten it where it is written`);
    }
    if (!isPlainAscii(value) && FORBIDDEN.test(value)) {
      const what = LONE_SURROGATE.test(value) ? 'half of a surrogate pair' : 'a control character';
      return this.fail('control_character', `${field} holds ${what}: remove it where it is written`);
    }
    return value;
  }

  /** As `text`, but refused when absent (`missing_field`) or empty (`empty_value`). */
  requiredText(field: string, value: unknown, max: number): string {
    if (value === undefined || value === null) {
      this.fail('missing_field', `${field} is missing: it must be a string of 1 to ${max} characters`);
    } else if (value === '') {
      this.fail('empty_value', `${field} is empty: it must be a string of 1 to ${max} characters`);
    }
    return this.text(field, value, max) ?? '';
  }

  /** A number in [`min`, 2⁵³ − 1]. */
  number(field: string, value: unknown, min: number): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value !== 'number' || Number.isNaN(value)) {
      const what = typeof value === 'number' ? 'NaN' : typeName(value);
      return this.fail('wrong_type', `${field} must be a JSON number, not ${what}`);
    }
    if (value < min) return this.fail('out_of_range', `${field} must be at least ${min}`);
    if (value > MAX_SAFE) {
      if (value === Number.POSITIVE_INFINITY) return this.fail('out_of_range', `${field} is too large for a number`);
      return this.fail('number_precision', `${field} is beyond 2^53 - 1, where numbers lose digits: use a larger unit`);
    }
    // −0 and 0 are one figure; the sum makes them one value.
    return value + 0;
  }

  /** A whole number in [`min`, `max`]. */
  integer(field: string, value: unknown, min: number, max: number = MAX_SAFE): number | null {
    const figure = this.number(field, value, min);
    if (figure === null) return null;
    if (!Number.isInteger(figure)) return this.fail('wrong_type', `${field} must be a whole number`);
    if (figure > max) return this.fail('out_of_range', `${field} must be at most ${max}`);
    return figure;
  }

  positive(field: string, value: unknown): number | null {
    const figure = this.number(field, value, 0);
    return figure === 0 ? this.fail('out_of_range', `${field} must be greater than 0`) : figure;
  }

  boolean(field: string, value: unknown): boolean | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'boolean') return value;
    return this.fail('wrong_type', `${field} must be true or false, not ${typeName(value)}`);
  }

  oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T | null {
    if (value === undefined || value === null) return null;
    for (const candidate of allowed) if (candidate === value) return candidate;
    if (typeof value !== 'string') return this.fail('wrong_type', `${field} must be a string, not ${typeName(value)}`);
    return this.fail('unknown_value', `${field} must be one of ${allowed.join(', ')}`);
  }

  time(field: string, value: unknown): number | null {
    if (value === undefined || value === null) return null;
    const timeMs = parseTimeMs(value, field);
    if (typeof timeMs === 'number') return timeMs;
    this.fault ??= timeMs;
    return null;
  }

  requiredTime(field: string, value: unknown): number {
    if (value === undefined || value === null) {
      this.fail('missing_field', `${field} is missing: it must be RFC 3339 or epoch milliseconds`);
    }
    return this.time(field, value) ?? 0;
  }
}
