import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmitterParts } from '../../../ingest/emit/index.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';

export interface ManualParts extends EmitterParts {
  /** Lets time pass: whoever sleeps until then wakes up, in order. */
  pass(durationMs: number): void;
  /** What is slept for now, ms from now, in order. */
  sleepingMs(): number[];
  /** Resolves once somebody sleeps for exactly so long. */
  asleepFor(isIt: (durationMs: number) => boolean): Promise<number>;
  /** How many keep the process alive. */
  held(): number;
}

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

/** Time that passes only when a test says so. */
export function manualParts(seed = 1): ManualParts {
  let nowMs = 1_790_848_800_000;
  let held = 0;
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<{ readonly isIt: (durationMs: number) => boolean; readonly tell: (ms: number) => void }>();
  const random = seededRandom(seed);
  const look = (durationMs: number): void => {
    for (const watcher of watchers) {
      if (!watcher.isIt(durationMs)) continue;
      watchers.delete(watcher);
      watcher.tell(durationMs);
    }
  };
  return {
    nowMs: () => nowMs,
    nextTurn,
    random,
    holdOpen: () => {
      held++;
      return () => {
        held--;
      };
    },
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = { untilMs: nowMs + durationMs, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          resolve();
        });
        look(durationMs);
      }),
    pass: (durationMs) => {
      nowMs += durationMs;
      const due = [...sleepers].filter(({ untilMs }) => untilMs <= nowMs).sort((a, b) => a.untilMs - b.untilMs);
      for (const sleeper of due) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
    sleepingMs: () => [...sleepers].map(({ untilMs }) => untilMs - nowMs).sort((a, b) => a - b),
    asleepFor: (isIt) =>
      new Promise((resolve) => {
        const found = [...sleepers].map(({ untilMs }) => untilMs - nowMs).find(isIt);
        if (found === undefined) watchers.add({ isIt, tell: resolve });
        else resolve(found);
      }),
    held: () => held,
  };
}
