import { EvenshareError } from '../../scheduler-core/index.ts';
import {
  LATE_CHECK,
  POOL_SPANS,
  type PoolSpan,
  STORED_SINCE,
  WINDOW_PROGRESS,
  type WindowProgress,
} from '../queries/pool-state.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import { type AnalyzeResult, analyzeRange } from './analyze-range.ts';
import { lastWindowEnd, type Span, windowStart } from './bounds.ts';
import type { PoolOptions } from './pool-model.ts';
import { rollUp } from './roll-up.ts';
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
  /** Up to where a pool was expected to be complete in the last run, epoch ms; null before it was in one. */
  watermarkMs(pool: string): number | null;
}

/** Events become visible a little after the moment that they are stamped with, by the clock of another machine perhaps. */
const VISIBILITY_SLACK_MS = 15_000;

/** The minute job: what it must do follows from the store alone, so that nothing is lost or done twice over a stop. */
export function createFairnessJob(store: Store, options: FairnessJobOptions): FairnessJob {
  const progress = new Map<string, SourceProgress>();
  const watermarks = new Map<string, number>();
  /** Per pool the end of the last window that a run of this process has looked at. */
  const ranTo = new Map<string, number>();
  let lastLateCheckMs: number | null = null;
  let running: Promise<unknown> = Promise.resolve();

  const runOnce = async (nowMs: number, signal: AbortSignal | undefined): Promise<JobRun> => {
    const isLateCheck = lastLateCheckMs === null || nowMs - lastLateCheckMs >= options.lateCheckEveryMs;
    const lateFrom = isLateCheck ? await lateArrivals(nowMs) : new Map<string, number>();
    const spans = await store.query('jobs', POOL_SPANS, {});
    let windows = 0;
    let written = 0;
    let furthestBehindMs: number | null = null;
    let firstFailure: unknown = null;
    for (const span of spans) {
      const [stored = null] = await store.query('jobs', WINDOW_PROGRESS, {
        pool: span.pool,
        window_ms: options.windowMs,
      });
      const watermarkMs = advance(span, stored, nowMs);
      furthestBehindMs = Math.min(furthestBehindMs ?? watermarkMs, watermarkMs);
      try {
        const result = await runPool(span, stored, {
          nowMs,
          watermarkMs,
          lateFromMs: lateFrom.get(span.pool) ?? null,
          signal,
        });
        windows += result.windows;
        written += result.written;
      } catch (error) {
        // What ails one pool is no reason to leave the others without figures; a store that is away ails all.
        if (signal?.aborted === true || (error instanceof EvenshareError && error.retryable)) throw error;
        firstFailure ??= poolFailure(span.pool, error);
      }
    }
    if (firstFailure !== null) throw firstFailure;
    // Last, so that a run that fails or is cut off leaves its late events to the next one.
    if (isLateCheck) await noteLateCheck(nowMs);
    return { pools: spans.length, windows, written, watermarkMs: furthestBehindMs };
  };

  /** A watermark never goes back: neither when a silent pool speaks of the past, nor over a restart. */
  const advance = (span: PoolSpan, stored: WindowProgress | null, nowMs: number): number => {
    const decided = decideWatermark([moved(span, nowMs)], nowMs, options.watermark);
    const watermarkMs = Math.max(decided, watermarks.get(span.pool) ?? decided, stored?.computedToMs ?? decided);
    watermarks.set(span.pool, watermarkMs);
    return watermarkMs;
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
    const sinceMs = lastLateCheckMs ?? (await storedLateCheckMs());
    const rows = await store.query('jobs', STORED_SINCE, {
      since_ms: Math.max(0, Math.min(sinceMs, nowMs) - VISIBILITY_SLACK_MS),
    });
    return new Map(rows.map((row) => [row.pool, row.earliestArrivalMs]));
  };

  /** 0 before the first run over a store: then every event is looked at once. */
  const storedLateCheckMs = async (): Promise<number> => {
    const [check] = await store.query('jobs', LATE_CHECK, { window_ms: options.windowMs });
    return check?.checkedToMs ?? 0;
  };

  const noteLateCheck = async (nowMs: number): Promise<void> => {
    const row = tsvRow([options.windowMs, nowMs]);
    await store.insert('jobs', 'job_progress', ['window_ms', 'late_checked_to_ms'], row);
    lastLateCheckMs = nowMs;
  };

  const runPool = async (
    span: PoolSpan,
    stored: WindowProgress | null,
    at: {
      readonly nowMs: number;
      readonly watermarkMs: number;
      readonly lateFromMs: number | null;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<AnalyzeResult> => {
    const { windowMs } = options;
    const due = decideDue(span, stored, {
      watermarkMs: at.watermarkMs,
      lateFromMs: at.lateFromMs,
      ranToMs: ranTo.get(span.pool) ?? null,
      windowMs,
    });
    if (due === null) return { windows: 0, written: 0, expired: 0 };
    const result = await analyzeRange(store, {
      ...due,
      pool: span.pool,
      windowMs,
      options: options.poolOptions(span.pool),
      watermarkMs: at.watermarkMs,
      closedToMs: at.watermarkMs,
      computation: at.nowMs * 1000,
      ...(at.signal === undefined ? {} : { signal: at.signal }),
    });
    if (result.written > 0) {
      await rollUp(store, { ...due, pool: span.pool, windowMs, closedToMs: at.watermarkMs });
    }
    ranTo.set(span.pool, due.toMs);
    return result;
  };

  return {
    run(nowMs, signal) {
      const run = running.then(() => runOnce(nowMs, signal));
      running = run.catch(() => undefined);
      return run;
    },
    watermarkMs: (pool) => watermarks.get(pool) ?? null,
  };
}

/** Names the pool: whoever reads it must know where to look. */
function poolFailure(pool: string, error: unknown): unknown {
  if (!(error instanceof EvenshareError)) return error;
  return new EvenshareError(error.code, `pool ${JSON.stringify(pool)}: ${error.message}`, { cause: error });
}

/**
 * The windows of a pool that must be computed now; null when none is due: those never computed, those that late events
 * touch, and with every new window those that are provisional, because what waits has grown older.
 */
export function decideDue(
  span: Pick<PoolSpan, 'firstArrivalMs'>,
  stored: WindowProgress | null,
  at: {
    readonly watermarkMs: number;
    readonly lateFromMs: number | null;
    /** End of the last window looked at by the run before; null: there was none. */
    readonly ranToMs: number | null;
    readonly windowMs: number;
  },
): Span | null {
  const { lateFromMs, ranToMs, windowMs } = at;
  const toMs = lastWindowEnd(at.watermarkMs, windowMs);
  const isNewWindow = ranToMs === null || toMs > ranToMs;
  const candidates = [
    stored === null ? windowStart(span.firstArrivalMs, windowMs) : stored.computedToMs,
    isNewWindow ? againFrom(stored, { toMs, windowMs, isFirstRun: ranToMs === null }) : Number.POSITIVE_INFINITY,
    lateFromMs === null ? Number.POSITIVE_INFINITY : windowStart(lateFromMs, windowMs),
  ];
  const fromMs = Math.min(...candidates);
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** So many of the newest windows are computed again with every new one, as long as they are provisional. */
const NEAR_WINDOWS = 4;

/**
 * From where provisional windows are computed again. One request that is open for an hour keeps sixty of them provisional:
 * those further back are taken the more rarely the further the oldest lies, every second minute, every fourth, …. What
 * ends a request is a late event, and that has them computed at once.
 */
function againFrom(
  stored: WindowProgress | null,
  at: { readonly toMs: number; readonly windowMs: number; readonly isFirstRun: boolean },
): number {
  if (stored === null || stored.provisionalFromMs === null) return Number.POSITIVE_INFINITY;
  const { provisionalFromMs, computedToMs } = stored;
  const windowsBack = (computedToMs - provisionalFromMs) / at.windowMs;
  if (windowsBack <= NEAR_WINDOWS || at.isFirstRun) return provisionalFromMs;
  const everyWindows = 2 ** Math.floor(Math.log2(windowsBack / NEAR_WINDOWS));
  const isTurn = (at.toMs / at.windowMs) % everyWindows === 0;
  return isTurn ? provisionalFromMs : computedToMs - NEAR_WINDOWS * at.windowMs;
}
