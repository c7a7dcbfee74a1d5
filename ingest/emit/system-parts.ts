import { getRandomValues } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRandom } from '../../scheduler-core/kernel/index.ts';
import type { EmitterParts } from './emitter-options.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock and chance: the emitter lives in other people's processes, which hand in neither. */
export function systemParts(): EmitterParts {
  return {
    nowMs: () => Date.now(),
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', finish);
          resolve();
        };
        const timer = setTimeout(finish, durationMs);
        timer.unref();
        if (signal?.aborted === true) finish();
        else signal?.addEventListener('abort', finish, { once: true });
      }),
    nextTurn,
    holdOpen: () => {
      const timer = setInterval(() => undefined, LONGEST_TIMER_MS);
      return () => clearInterval(timer);
    },
    random: seededRandom(getRandomValues(new Uint32Array(1))[0] ?? 0),
  };
}
