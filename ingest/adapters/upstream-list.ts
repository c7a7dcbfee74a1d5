import { type Rejection, reject } from '../event/decision-event.ts';
import { numberOf } from './log-values.ts';

/** What nginx writes of the servers that it tried: `0.020, 0.139`, after a redirect inside nginx `0.020 : 0.139`. */
export interface UpstreamTimes {
  /** The sum of the times that are there, in the log's unit. */
  readonly sum: number;
  /** Servers tried since the last redirect inside nginx. */
  readonly tries: number;
}

const NONE: UpstreamTimes = { sum: 0, tries: 0 };
/** nginx tries every server of a group once or a few times. */
const MOST_TRIES = 10_000;

/** Reads `$upstream_response_time` and its like; `-` and an empty place are servers that did not answer. */
export function upstreamTimes(value: unknown, name: string): UpstreamTimes | Rejection {
  if (value === undefined) return NONE;
  if (typeof value === 'number') {
    return value >= 0 ? { sum: value, tries: 1 } : reject('out_of_range', `${name} must be at least 0`);
  }
  if (typeof value !== 'string') return reject('wrong_type', `${name} must be a text such as "0.020, 0.139"`);
  let sum = 0;
  let tries = 0;
  let from = 0;
  let places = 0;
  while (from <= value.length) {
    let end = from;
    while (end < value.length && value[end] !== ',' && value[end] !== ':') end++;
    const place = value.slice(from, end).trim();
    if (place !== '' && place !== '-') {
      const time = numberOf(place);
      if (!(time >= 0)) return reject('wrong_type', `${name} must hold numbers ≥ 0, as "0.020, 0.139"`);
      sum += time;
    }
    if (++places > MOST_TRIES) return reject('out_of_range', `${name} lists more than ${MOST_TRIES} servers`);
    tries = value[end] === ':' ? 0 : tries + 1;
    from = end + 1;
  }
  return { sum, tries };
}

/** The last status of `$upstream_status` (`502, 200`); null when no server was asked. */
export function lastUpstreamStatus(value: string | null): number | null {
  if (value === null) return null;
  const last = value.slice(Math.max(value.lastIndexOf(','), value.lastIndexOf(':')) + 1).trim();
  const status = numberOf(last);
  return Number.isInteger(status) ? status : null;
}
