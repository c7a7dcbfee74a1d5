/** A stream of events whose progress a watermark follows: here the stored requests of one pool. */
export interface SourceProgress {
  /** Newest time in any event, epoch ms. */
  readonly newestEventMs: number;
  /** When `newestEventMs` last moved, by our clock, epoch ms. */
  readonly lastMovedMs: number;
}

export interface WatermarkOptions {
  /** How far out of order events may come, ms. */
  readonly disorderMs: number;
  /** A source that has not moved for so long is left out, ms. */
  readonly idleAfterMs: number;
}

export const DEFAULT_WATERMARK_OPTIONS: WatermarkOptions = { disorderMs: 5_000, idleAfterMs: 30_000 };

/**
 * The moment up to which everything is expected to be here: the slowest active source's newest event, never beyond our
 * clock, less the disorder. Without an active source time goes by the clock alone.
 */
export function decideWatermark(
  sources: readonly SourceProgress[],
  nowMs: number,
  options: WatermarkOptions = DEFAULT_WATERMARK_OPTIONS,
): number {
  const active = sources.filter((source) => nowMs - source.lastMovedMs < options.idleAfterMs);
  const newest = active.map((source) => Math.min(source.newestEventMs, nowMs));
  return Math.min(nowMs, ...newest) - options.disorderMs;
}
