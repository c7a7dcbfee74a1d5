/** The only source of time outside the pure parts. Tests pass one of their own. */
export interface Clock {
  /** Epoch ms. May go back when somebody sets the machine's clock. */
  nowMs(): number;
  /**
   * Resolves after `durationMs` (≤ 24 days; 0 or less: in a later turn of the event loop), or as soon as the signal
   * aborts. Never rejects: look at the signal afterwards.
   */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, durationMs);
      signal?.addEventListener('abort', finish, { once: true });
    }),
};
