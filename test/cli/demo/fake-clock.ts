import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../cli/clock.ts';

export interface FakeClock extends Clock {
  /** What was slept for, in order. */
  readonly sleepsMs: readonly number[];
}

/** A clock on which sleeping takes no time: it moves on by what is slept for. `onSleep` is told the time after it. */
export function fakeClock(startMs: number, onSleep: (nowMs: number) => void = () => {}): FakeClock {
  let nowMs = startMs;
  const sleepsMs: number[] = [];
  return {
    sleepsMs,
    nowMs: () => nowMs,
    sleep: async (durationMs, signal) => {
      if (signal?.aborted === true) return;
      sleepsMs.push(durationMs);
      nowMs += durationMs;
      onSleep(nowMs);
      await nextTurn();
    },
  };
}

/** A clock that stands still: who sleeps wakes up only when the signal aborts. */
export function stoppedClock(nowMs: number): Clock {
  return {
    nowMs: () => nowMs,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) resolve();
        else signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}
