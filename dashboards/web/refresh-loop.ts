export interface RefreshLoop {
  /** Refreshes as soon as a running refresh is done. */
  refreshNow(): void;
}

/**
 * Runs `refresh` every `everyMs` after it ended, never twice at once, not while the page is hidden, and at once when it
 * comes back. `tick` runs every second, for ages that grow by themselves. The page's only timers.
 */
export function startRefreshLoop(everyMs: number, refresh: () => Promise<void>, tick: () => void): RefreshLoop {
  let timer: number | undefined;
  let running = false;
  let again = false;

  const run = async (): Promise<void> => {
    window.clearTimeout(timer);
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      await refresh();
    } finally {
      running = false;
      const delayMs = again ? 0 : everyMs;
      again = false;
      if (!document.hidden) timer = window.setTimeout(run, delayMs);
    }
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) window.clearTimeout(timer);
    else void run();
  });
  window.setInterval(tick, 1_000);
  void run();
  return { refreshNow: () => void run() };
}
