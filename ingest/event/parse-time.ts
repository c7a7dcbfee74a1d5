import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { type Rejection, reject } from './decision-event.ts';

/** 1973-01-01T00:00:00Z: the earliest time taken for a real one (inclusive). */
export const EARLIEST_MS = 94_694_400_000;
/** 2101-01-01T00:00:00Z: the end of the times taken for real ones (exclusive). */
export const LATEST_MS = 4_133_980_800_000;

const RANGE_TEXT = 'the years 1973 to 2100';
const ZERO = 48;

/** Two digits at `index`; NaN where there are none. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - ZERO;
  const ones = text.charCodeAt(index + 1) - ZERO;
  // A NaN from beyond the end becomes 0 under >>>, so the bounds are the caller's to check by length.
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? Number.NaN : tens * 10 + ones;
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms"). */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Milliseconds of `Z` or `±HH:MM` from `index` to the end of the text; NaN for anything else. */
function zoneOffsetMs(text: string, index: number): number {
  const sign = text.charCodeAt(index) | 0x20;
  if (sign === 0x7a) return text.length === index + 1 ? 0 : Number.NaN;
  const isPlus = text[index] === '+';
  if ((!isPlus && text[index] !== '-') || text.length !== index + 6 || text[index + 3] !== ':') return Number.NaN;
  const hours = twoDigits(text, index + 1);
  const minutes = twoDigits(text, index + 4);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (isPlus ? 1 : -1) * (hours * HOUR_MS + minutes * MINUTE_MS);
}

/**
 * Epoch milliseconds of an RFC 3339 time; NaN when the text is none. `t` and `z` may be lower case; a fraction of any
 * length is truncated to the millisecond; second 60 (a leap second) is the second after. The zone is required.
 */
export function rfc3339Ms(text: string): number {
  if (text.length < 20) return Number.NaN;
  if (text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':') return Number.NaN;
  if (text[10] !== 'T' && text[10] !== 't') return Number.NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return Number.NaN;

  let index = 19;
  let fractionMs = 0;
  if (text[19] === '.') {
    let scale = 100;
    for (index = 20; index < text.length; index++) {
      const digit = text.charCodeAt(index) - ZERO;
      if (digit >>> 0 > 9) break;
      fractionMs += digit * scale;
      scale = scale === 100 ? 10 : scale === 10 ? 1 : 0;
    }
    if (index === 20) return Number.NaN;
  }
  const dayMs = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + fractionMs;
  return daysFromCivil(year, month, day) * DAY_MS + dayMs - zoneOffsetMs(text, index);
}

function isWithin(value: number, unitsPerMs: number): boolean {
  return value >= EARLIEST_MS * unitsPerMs && value < LATEST_MS * unitsPerMs;
}

/** The unit that a number would be a plausible time in, other than milliseconds; null when there is none. */
function otherUnit(value: number): { readonly name: string; readonly mend: string } | null {
  if (isWithin(value, 1e-3)) return { name: 'seconds', mend: 'multiply by 1000' };
  if (isWithin(value, 1e3)) return { name: 'microseconds', mend: 'divide by 1000' };
  if (isWithin(value, 1e6)) return { name: 'nanoseconds', mend: 'divide by 1000000' };
  return null;
}

function rejectText(text: string, field: string): Rejection {
  if (/^[+-]?\d+(\.\d*)?$/.test(text)) {
    return reject('time_format', `${field} is a number in quotes: send epoch milliseconds as a JSON number`);
  }
  if (/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?$/.test(text)) {
    return reject('time_format', `${field} has no time zone: append Z or an offset such as +02:00`);
  }
  return reject(
    'time_format',
    `${field} is not a time: use RFC 3339, as 2026-03-02T10:15:04.127Z, or epoch milliseconds`,
  );
}

/**
 * Epoch milliseconds (an integer) of an RFC 3339 text or of a number of epoch milliseconds, whose fraction is dropped.
 * Numbers that are plausible as seconds, microseconds or nanoseconds are refused with `time_unit`, never converted.
 * Other codes: `time_format`, `out_of_range` (outside 1973 to 2100), `wrong_type`.
 */
export function parseTimeMs(value: unknown, field: string): number | Rejection {
  if (typeof value === 'number') {
    if (isWithin(value, 1)) return Math.floor(value);
    const unit = otherUnit(value);
    if (unit !== null) {
      return reject('time_unit', `${field} looks like ${unit.name}, epoch milliseconds are expected: ${unit.mend}`);
    }
    if (Number.isNaN(value))
      return reject('wrong_type', `${field} is not a number: send epoch milliseconds or RFC 3339`);
    return reject('out_of_range', `${field} is outside ${RANGE_TEXT}: send epoch milliseconds or RFC 3339`);
  }
  if (typeof value !== 'string') {
    return reject('wrong_type', `${field} must be an RFC 3339 text or a number of epoch milliseconds`);
  }
  const timeMs = rfc3339Ms(value);
  if (isWithin(timeMs, 1)) return timeMs;
  if (Number.isNaN(timeMs)) return rejectText(value, field);
  return reject('out_of_range', `${field} is outside ${RANGE_TEXT}: check the clock or the date`);
}
