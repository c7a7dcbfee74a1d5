import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;
const DEFAULT_LIMIT_MS = 60_000;

/**
 * Asks again and again until the answer is not null, and returns it. For what happens in other processes: a test inside
 * one process is told and need not ask. Fails with `what` after `limitMs`, which is for hangs, not for measuring.
 */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | null> | Value | null,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<Value> {
  const giveUp = AbortSignal.timeout(limitMs);
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (giveUp.aborted) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await pause(POLL_MS);
  }
}
