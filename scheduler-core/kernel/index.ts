export { assertInvariant, assertNever } from './assert.ts';
export { ERROR_CODES, type ErrorCode, EvenshareError, type EvenshareErrorOptions } from './errors.ts';
export { type Random, seededRandom } from './random.ts';
export { DAY_MS, DURATION_PATTERN, HOUR_MS, MINUTE_MS, parseDurationMs, SECOND_MS } from './units.ts';
