import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';

const SHUTDOWN_LIMIT_MS = 20 * SECOND_MS;

/** Resolves when the process is asked to stop. */
export function stopAsked(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Shutdown must end: what has not finished by the limit is safe to cut, since every effect can be repeated. */
export async function withShutdownLimit(context: CliContext, shutdown: () => Promise<void>): Promise<void> {
  const done = new AbortController();
  const limit = context.clock.sleep(SHUTDOWN_LIMIT_MS, done.signal).then(() => {
    if (!done.signal.aborted) throw new EvenshareError('EVS_INTERRUPTED', 'shutdown took too long and was cut off');
  });
  try {
    await Promise.race([shutdown(), limit]);
  } finally {
    done.abort();
  }
}
