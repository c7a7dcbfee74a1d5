import type { Random } from '../../scheduler-core/index.ts';
import type { OutboxEntry } from '../queries/alerts.ts';
import type { DeliveryResult } from './notifiers/notifier.ts';

const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** After so long a notification is given up. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/** What becomes of a notification after one attempt: delivered, tried again later (with jitter), or given up. */
export function decideNextAttempt(
  entry: OutboxEntry,
  result: DeliveryResult,
  nowMs: number,
  random: Random,
): OutboxEntry {
  const tried = { ...entry, version: entry.version + 1, attempts: entry.attempts + 1 };
  if (result.delivered) return { ...tried, state: 'delivered', lastError: '' };
  if (nowMs - entry.createdAtMs >= GIVE_UP_AFTER_MS) return { ...tried, state: 'dead', lastError: result.error };
  const backoffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(entry.attempts, 16));
  const delayMs = Math.max(result.retryAfterMs ?? 0, backoffMs * (0.5 + random.next() / 2));
  return { ...tried, lastError: result.error, nextAttemptMs: Math.ceil(nowMs + Math.min(delayMs, LONGEST_DELAY_MS)) };
}
