import { type Rejection, reject } from '../event/decision-event.ts';
import { EARLIEST_MS, LATEST_MS, parseTimeMs } from '../event/parse-time.ts';

/** How a time is written; null: RFC 3339 or epoch milliseconds. */
export const TIME_UNITS = ['rfc3339', 'ms', 's', 'us', 'ns'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];
export const DURATION_UNITS = ['ms', 's', 'us', 'ns'] as const;
export type DurationUnit = (typeof DURATION_UNITS)[number];

const UNIT_NAMES: Readonly<Record<DurationUnit, string>> = {
  ms: 'milliseconds',
  s: 'seconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};
const PER_MS: Readonly<Record<DurationUnit, number>> = { ms: 1, s: 1e-3, us: 1e3, ns: 1e6 };
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
/** No request lasts ten years. */
const MAX_DURATION_MS = 315_360_000_000;
/** What a double of seconds may lack of the decimal that it was written as, in ms. */
const SECONDS_SLACK = 0.001;

/** The number that a value is or spells; NaN for anything else. Logs write the same number with and without quotes. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** Epoch ms of a number in a unit, cut (not rounded) to the millisecond. */
function toMs(value: unknown, unit: DurationUnit): number {
  // Nineteen digits do not fit a double: those below the millisecond are cut off the text.
  if (unit === 'ns' && typeof value === 'string' && /^\d{7,25}$/.test(value)) return Number(value.slice(0, -6));
  const figure = numberOf(value);
  switch (unit) {
    case 's':
      return Math.floor(figure * 1e3 + SECONDS_SLACK);
    case 'ms':
      return Math.floor(figure);
    case 'us':
      return Math.floor(figure / 1e3);
    case 'ns':
      return Math.floor(figure / 1e6);
  }
}

function isReal(timeMs: number): boolean {
  return timeMs >= EARLIEST_MS && timeMs < LATEST_MS;
}

/** The refusal of a number that is no time in the unit that was expected; names the unit in which it would be one. */
function refuseTime(value: unknown, unit: DurationUnit, name: string): Rejection {
  const figure = numberOf(value);
  if (Number.isNaN(figure)) {
    return reject('time_format', `${name} must be a number of ${UNIT_NAMES[unit]}: say how it is written under units`);
  }
  const other = DURATION_UNITS.find((candidate) => isReal(figure / PER_MS[candidate]));
  if (other === undefined || other === unit) {
    return reject('out_of_range', `${name} is outside the years 1973 to 2100 when read in ${UNIT_NAMES[unit]}`);
  }
  const detail = `${name} looks like ${UNIT_NAMES[other]}, ${UNIT_NAMES[unit]} are expected: say ${other} under units`;
  return reject('time_unit', detail);
}

/** Epoch ms of a log's time. Never guesses the unit: `time_unit` says what it looks like and how to say so. */
export function timeOf(value: unknown, unit: TimeUnit | null, name: string): number | Rejection {
  if (unit === null) return parseTimeMs(value, name);
  if (unit === 'rfc3339') {
    return typeof value === 'string'
      ? parseTimeMs(value, name)
      : reject('time_format', `${name} must be an RFC 3339 time: say how it is written under units`);
  }
  const timeMs = toMs(value, unit);
  return isReal(timeMs) ? timeMs : refuseTime(value, unit, name);
}

/** Milliseconds (with their fraction) of a duration ≥ 0 in a unit. */
export function durationOf(value: unknown, unit: DurationUnit, name: string): number | Rejection {
  const figure = numberOf(value);
  if (Number.isNaN(figure)) return reject('wrong_type', `${name} must be a number of ${UNIT_NAMES[unit]}`);
  const durationMs = figure / PER_MS[unit];
  if (durationMs >= 0 && durationMs <= MAX_DURATION_MS) return durationMs;
  return reject('out_of_range', `${name} is no duration of a request when read in ${UNIT_NAMES[unit]}`);
}

const GO_PARTS = /(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/gy;
const GO_UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3_600e3,
};

/** Milliseconds of a duration as Go writes it (`826ms`, `1m30.5s`). */
export function goDurationMs(value: unknown, name: string): number | Rejection {
  const refusal = reject('wrong_type', `${name} must be a duration as Go writes it, such as 826ms`);
  if (typeof value !== 'string' || value === '' || value.length > 64) return refusal;
  let durationMs = 0;
  let length = 0;
  for (const [part, digits, unit = ''] of value.matchAll(GO_PARTS)) {
    durationMs += Number(digits) * (GO_UNIT_MS[unit] ?? Number.NaN);
    length += part.length;
  }
  if (length !== value.length) return refusal;
  return durationOf(durationMs, 'ms', name);
}
