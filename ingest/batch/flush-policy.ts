/** How small submissions wait for each other, so that many of them make one part of the store and not one each. */
export interface GatherLimits {
  /** Between the starts of two inserts that are not full, ms. */
  readonly everyMs: number;
  /** So many events are worth an insert of their own at once. */
  readonly fullEvents: number;
}

/** Ten small inserts a second at most: the engine merges that many parts as they come, and nobody waits long. */
export const DEFAULT_GATHER_LIMITS: GatherLimits = { everyMs: 100, fullEvents: 1_000 };

export interface FlushSituation {
  readonly nowMs: number;
  /** When the insert before began; null before the first. */
  readonly lastStartMs: number | null;
  /** Events that wait to be stored. */
  readonly events: number;
}

/**
 * How long the next insert still waits for company, ms: not at all when it is full, or when the one before began
 * `everyMs` ago, so that a lone event after a quiet time is stored at once. Never over `everyMs`, also when somebody has
 * set the clock back.
 */
export function decideGatherMs({ nowMs, lastStartMs, events }: FlushSituation, limits: GatherLimits): number {
  if (lastStartMs === null || events >= limits.fullEvents) return 0;
  return Math.min(limits.everyMs, Math.max(0, lastStartMs + limits.everyMs - nowMs));
}
