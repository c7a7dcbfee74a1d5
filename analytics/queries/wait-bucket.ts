import { BUCKETS_PER_OCTAVE, MAX_BUCKETED_WAIT_MS } from '../window/wait-histogram.ts';

/**
 * The bucket of a wait, as `bucketOf` tells it, for every whole number. The octave is the exponent of the number as a
 * float, which is exact where a logarithm may round up to the next.
 *
 * @param waitMs SQL expression of type Int64.
 */
export function waitBucket(waitMs: string): string {
  // Never 0: the engine may compute the branch that is not taken, and would divide by what a 0 gives.
  const capped = `greatest(least(toInt64(${waitMs}), ${MAX_BUCKETED_WAIT_MS}), 1)`;
  const octave = `(bitShiftRight(reinterpretAsInt64(toFloat64(${capped})), 52) - 1023)`;
  const startMs = `bitShiftLeft(toInt64(1), ${octave})`;
  const part = `intDiv((${capped} - ${startMs}) * ${BUCKETS_PER_OCTAVE}, ${startMs})`;
  return `if(${waitMs} <= 0, toInt16(0), toInt16(1 + ${BUCKETS_PER_OCTAVE} * ${octave} + ${part}))`;
}
