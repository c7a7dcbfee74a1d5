import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface ProcessFigures {
  /** Most memory that the process held at a time since it began, bytes, the engine's own library included. */
  readonly peakRssBytes: number;
  /** Longest time for which nothing else of the process got its turn, ms. */
  readonly longestStallMs: number;
}

const RESOLUTION_MS = 1;

/** Watches this process from now on; call the result once, at the end of what is measured. */
export function watchProcess(): () => ProcessFigures {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    delays.disable();
    return { peakRssBytes: process.resourceUsage().maxRSS * 1024, longestStallMs: delays.max / 1e6 };
  };
}
