import { readFile } from 'node:fs/promises';
import type { CostUnit } from '../../ingest/index.ts';
import { EvenshareError, parseDurationMs } from '../../scheduler-core/kernel/index.ts';
import { parseMapping } from '../parse-mapping.ts';

/** The value of an option that must be a duration over 0; throws `EVS_USAGE`. */
export function durationOption(name: string, text: string): number {
  const ms = parseDurationMs(text);
  if (ms === null || ms < 1 || !Number.isInteger(ms)) {
    throw new EvenshareError('EVS_USAGE', `${name} "${text}" is no duration: write 250ms, 20s, 1m, 1h or 1d`);
  }
  return ms;
}

/** The value of an option that must be a number over 0; throws `EVS_USAGE`. */
export function positiveOption(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new EvenshareError('EVS_USAGE', `${name} "${text}" must be a number over 0`);
  }
  return value;
}

/** A port given as text; the other one where none is. Throws `EVS_USAGE`. */
export function portOption(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new EvenshareError('EVS_USAGE', `--port "${text}" must be a whole number from 0 to 65535`);
  }
  return port;
}

/** A day, which begins at midnight UTC, or a moment with its zone: without one it would be another wherever it is read. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/i;

/** A moment given as RFC 3339 or epoch milliseconds; throws `EVS_USAGE`. */
export function timeOption(name: string, text: string): number {
  const ms = /^\d{11,14}$/.test(text) ? Number(text) : parseTime(text);
  if (!Number.isFinite(ms)) {
    throw new EvenshareError(
      'EVS_USAGE',
      `${name} "${text}" is no time: write 2026-11-01T10:05:00Z or epoch milliseconds`,
    );
  }
  return ms;
}

/** NaN for what is no time, a day that its month does not have among it. */
function parseTime(text: string): number {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= lastDay ? Date.parse(text) : Number.NaN;
}

/** `KEY=VALUE` pairs as a record; throws `EVS_USAGE`. */
export function pairOptions(name: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new EvenshareError('EVS_USAGE', `${name} "${pair}" must be KEY=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The parsed YAML of `--map`; null without one. Throws `EVS_USAGE`. */
export async function readMapping(path: string | undefined): Promise<unknown> {
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new EvenshareError('EVS_USAGE', `cannot read the mapping "${path}": check --map`, { cause });
  });
  return parseMapping(text, path);
}

const COST_UNITS: readonly CostUnit[] = ['requests', 'service_ms', 'tokens'];

/** A cost unit; null where none is given. Throws `EVS_USAGE`. */
export function costUnitOption(text: string | undefined): CostUnit | null {
  if (text === undefined) return null;
  const unit = COST_UNITS.find((known) => known === text);
  if (unit === undefined)
    throw new EvenshareError('EVS_USAGE', `--cost-unit "${text}" must be one of ${COST_UNITS.join(', ')}`);
  return unit;
}

const MOST_SEED = 2 ** 32 - 1;

/** A seed of chance; throws `EVS_USAGE`. */
export function seedOption(name: string, text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > MOST_SEED) {
    throw new EvenshareError('EVS_USAGE', `${name} "${text}" must be a whole number from 0 to ${MOST_SEED}`);
  }
  return seed;
}

/** For options that may be given several times. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
