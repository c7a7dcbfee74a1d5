const FIRST_MS = 100;
const MOST_MS = 10_000;

/** How long to wait before attempt `attempt + 1`, ms: doubling from 100 ms up to 10 s, for ever. */
export function backoffMs(attempt: number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
}
