import { SECOND_MS } from '../../scheduler-core/kernel/index.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10 * SECOND_MS;
const LONGEST_RETRY_AFTER_MS = 60 * SECOND_MS;

export interface RetrySituation {
  /** How many attempts have failed; ≥ 1. */
  readonly failedAttempts: number;
  /** What the server asked for, or null. */
  readonly retryAfterMs: number | null;
  /** Uniform in [0, 1). */
  readonly chance: number;
}

/**
 * How long to wait before the next attempt: what the server asked for (at most a minute) and up to a quarter second more,
 * so that two do not come back together; else between half and all of a delay that doubles from 250 ms to 10 s.
 */
export function decideRetryDelayMs({ failedAttempts, retryAfterMs, chance }: RetrySituation): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) + chance * FIRST_DELAY_MS;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failedAttempts - 1), LONGEST_DELAY_MS);
  return (delayMs * (1 + chance)) / 2;
}

/** The delay that a `Retry-After` header asks for (seconds or an HTTP date), ms ≥ 0; null when absent or unreadable. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * SECOND_MS;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
