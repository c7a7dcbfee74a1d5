export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const DURATION_UNITS_MS = new Map([
  ['ms', 1],
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
]);

/** Texts that `parseDurationMs` reads, as a regular expression for schemas. */
export const DURATION_PATTERN = '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$';

/** Milliseconds of `250ms`, `60s`, `1m`, `2h`, `1d`; null when the text is no such duration. The unit is required. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unitMs = DURATION_UNITS_MS.get(match?.[2] ?? '');
  if (match === null || unitMs === undefined) return null;
  return Number(match[1]) * unitMs;
}
