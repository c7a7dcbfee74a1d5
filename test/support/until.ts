import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** Between two questions. Default 20 ms: raise it where asking is work for somebody. */
  readonly everyMs?: number;
  /** For hangs, not for measuring. Default 60 s. */
  readonly limitMs?: number;
}

/**
 * Asks again and again until the answer is not null, and returns it. For what happens in other processes: a test inside
 * one process is told and need not ask. Fails with `what` after `limitMs`.
 */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | null> | Value | null,
  { everyMs = 20, limitMs = 60_000 }: UntilOptions = {},
): Promise<Value> {
  const giveUp = AbortSignal.timeout(limitMs);
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (giveUp.aborted) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await pause(everyMs);
  }
}
