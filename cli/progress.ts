import { SingleBar } from 'cli-progress';
import type { CliContext } from './context.ts';

export interface Progress {
  /** `total` null: only what is done is known. */
  update(done: number, total: number | null): void;
  stop(): void;
}

const SHOWN_AFTER_MS = 1_000;

/** A bar on the terminal for work that takes over a second; nothing where stderr is no terminal. */
export function startProgress(context: CliContext, what: string): Progress {
  if (!context.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const startedMs = context.clock.nowMs();
  let bar: SingleBar | null = null;
  return {
    update(done, total) {
      if (total === null || context.clock.nowMs() - startedMs < SHOWN_AFTER_MS) return;
      if (bar === null) {
        bar = new SingleBar({
          format: `${what} [{bar}] {percentage}% {eta_formatted}`,
          stream: process.stderr,
          hideCursor: true,
        });
        bar.start(total, done);
      } else bar.update(done);
    },
    stop() {
      bar?.stop();
    },
  };
}
