import { formatSpan } from './format.ts';

/** From this age on the figures are called stale. */
const STALE_AFTER_MS = 90_000;

export interface LiveFacts {
  /** Server time of the newest answer; null before the first. */
  readonly refreshedAtMs: number | null;
  readonly nowMs: number;
  /** Why the last refresh failed; null when it did not. */
  readonly failure: string | null;
}

export interface LiveState {
  readonly state: 'loading' | 'live' | 'stale' | 'error';
  readonly words: string;
}

/** How fresh the page is, in words. Stale outweighs an error: old figures are on the screen either way. */
export function liveState({ refreshedAtMs, nowMs, failure }: LiveFacts): LiveState {
  if (refreshedAtMs === null) {
    return failure === null ? { state: 'loading', words: 'Loading' } : { state: 'error', words: 'Error' };
  }
  const refreshed = `refreshed ${new Date(refreshedAtMs).toISOString().slice(11, 19)} UTC`;
  const ageMs = nowMs - refreshedAtMs;
  if (ageMs >= STALE_AFTER_MS) return { state: 'stale', words: `Stale · ${refreshed}, ${formatSpan(ageMs)} ago` };
  if (failure !== null) return { state: 'error', words: `Error · ${refreshed}` };
  return { state: 'live', words: `Live · ${refreshed}` };
}
