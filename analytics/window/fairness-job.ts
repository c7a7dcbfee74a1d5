import { NEWEST_COMPUTATION, POOL_SPANS, type PoolSpan, STORED_SINCE, WINDOW_PROGRESS } from '../queries/pool-state.ts';
import type { Store } from '../storage/index.ts';
import { type AnalyzeResult, analyzeRange } from './analyze-range.ts';
import { lastWindowEnd, type Span, windowStart } from './bounds.ts';
import type { PoolOptions } from './pool-model.ts';
import { decideWatermark, type SourceProgress, type WatermarkOptions } from './watermark.ts';

export interface FairnessJobOptions {
  readonly windowMs: number;
  readonly poolOptions: (pool: string) => PoolOptions;
  readonly watermark: WatermarkOptions;
  /** How often at most the store is asked for late events, ms. */
  readonly lateCheckEveryMs: number;
}

export interface JobRun {
  readonly pools: number;
  readonly windows: number;
  readonly written: number;
  /** The watermark of the pool that is furthest behind, epoch ms; null when there is no pool. */
  readonly watermarkMs: number | null;
}

export interface FairnessJob {
  /**
   * Computes every window that is due, oldest first: those never computed, those still provisional, those that late
   * events touched. One run at a time: a call during a run waits for it and then runs by itself.
   */
  run(nowMs: number, signal?: AbortSignal): Promise<JobRun>;
}

/** Events become visible a little after the moment that they are stamped with. */
const VISIBILITY_SLACK_MS = 15_000;

/** The minute job: what it must do follows from the store alone, so that nothing is lost or done twice over a stop. */
export function createFairnessJob(store: Store, options: FairnessJobOptions): FairnessJob {
  const progress = new Map<string, SourceProgress>();
  let lastLateCheckMs: number | null = null;
  let running: Promise<unknown> = Promise.resolve();

  const runOnce = async (nowMs: number, signal: AbortSignal | undefined): Promise<JobRun> => {
    const spans = await store.query('jobs', POOL_SPANS, {});
    const lateFrom = await lateArrivals(nowMs);
    let windows = 0;
    let written = 0;
    let furthestBehindMs: number | null = null;
    for (const span of spans) {
      const watermarkMs = decideWatermark([moved(span, nowMs)], nowMs, options.watermark);
      furthestBehindMs = Math.min(furthestBehindMs ?? watermarkMs, watermarkMs);
      const result = await runPool(span, { nowMs, watermarkMs, lateFromMs: lateFrom.get(span.pool) ?? null, signal });
      windows += result.windows;
      written += result.written;
    }
    return { pools: spans.length, windows, written, watermarkMs: furthestBehindMs };
  };

  const moved = (span: PoolSpan, nowMs: number): SourceProgress => {
    const known = progress.get(span.pool);
    const current =
      known !== undefined && known.newestEventMs >= span.latestEndMs
        ? known
        : { newestEventMs: span.latestEndMs, lastMovedMs: nowMs };
    progress.set(span.pool, current);
    return current;
  };

  const lateArrivals = async (nowMs: number): Promise<Map<string, number>> => {
    if (lastLateCheckMs !== null && nowMs - lastLateCheckMs < options.lateCheckEveryMs) return new Map();
    // After a start everything stored since the newest window was computed may be late; runPool bounds it.
    const sinceMs = lastLateCheckMs === null ? await lastComputedAtMs() : lastLateCheckMs;
    lastLateCheckMs = nowMs;
    const rows = await store.query('jobs', STORED_SINCE, { since_ms: Math.max(0, sinceMs - VISIBILITY_SLACK_MS) });
    return new Map(rows.map((row) => [row.pool, row.earliestArrivalMs]));
  };

  const lastComputedAtMs = async (): Promise<number> => {
    const [newest] = await store.query('jobs', NEWEST_COMPUTATION, {});
    return newest?.computedAtMs ?? 0;
  };

  const runPool = async (
    span: PoolSpan,
    at: {
      readonly nowMs: number;
      readonly watermarkMs: number;
      readonly lateFromMs: number | null;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<AnalyzeResult> => {
    const { windowMs } = options;
    const [stored] = await store.query('jobs', WINDOW_PROGRESS, { pool: span.pool, window_ms: windowMs });
    const due = decideDue(span, stored ?? null, at.watermarkMs, at.lateFromMs, windowMs);
    if (due === null) return { windows: 0, written: 0 };
    return analyzeRange(store, {
      ...due,
      pool: span.pool,
      windowMs,
      options: options.poolOptions(span.pool),
      watermarkMs: at.watermarkMs,
      closedToMs: at.watermarkMs,
      computation: at.nowMs * 1000,
      ...(at.signal === undefined ? {} : { signal: at.signal }),
    });
  };

  return {
    run(nowMs, signal) {
      const run = running.then(() => runOnce(nowMs, signal));
      running = run.catch(() => undefined);
      return run;
    },
  };
}

/** The windows of a pool that must be computed now; null when none is due. */
export function decideDue(
  span: Pick<PoolSpan, 'firstArrivalMs'>,
  stored: { readonly computedToMs: number; readonly provisionalFromMs: number | null } | null,
  watermarkMs: number,
  lateFromMs: number | null,
  windowMs: number,
): Span | null {
  const toMs = lastWindowEnd(watermarkMs, windowMs);
  const candidates = [
    stored === null ? windowStart(span.firstArrivalMs, windowMs) : stored.computedToMs,
    stored?.provisionalFromMs ?? Number.POSITIVE_INFINITY,
    lateFromMs === null ? Number.POSITIVE_INFINITY : windowStart(lateFromMs, windowMs),
  ];
  const fromMs = Math.min(...candidates);
  return fromMs < toMs ? { fromMs, toMs } : null;
}
