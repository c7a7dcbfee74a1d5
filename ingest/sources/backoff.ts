const FIRST_MS = 100;

/** How long to wait before attempt `attempt + 1`, ms: doubling from 100 ms up to `mostMs`, for ever. */
export function backoffMs(attempt: number, mostMs: number): number {
  return Math.min(mostMs, FIRST_MS * 2 ** Math.min(attempt, 20));
}
