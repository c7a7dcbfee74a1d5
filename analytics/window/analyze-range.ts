import { ACTIVE_HOURS, REQUESTS_PER_MINUTE } from '../queries/pool-state.ts';
import type { Store } from '../storage/index.ts';
import { planChunks, type Span } from './bounds.ts';
import { computeRange } from './compute-range.ts';
import type { PoolOptions } from './pool-model.ts';

export interface AnalyzeRequest extends Span {
  readonly pool: string;
  readonly windowMs: number;
  readonly options: PoolOptions;
  /** Open requests are as old as it says, epoch ms. */
  readonly watermarkMs: number;
  /** Every source is past it; `Infinity` once all are closed. */
  readonly closedToMs: number;
  /** Number of the computation; see `ComputeRange`. */
  readonly computation: number;
  readonly onProgress?: (doneMs: number, totalMs: number) => void;
  readonly signal?: AbortSignal;
}

export interface AnalyzeResult {
  readonly windows: number;
  readonly written: number;
  /** Windows that were left as they are, because some of their requests have expired since. */
  readonly expired: number;
}

const MAX_ROWS_PER_CHUNK = 1_000_000;
const MAX_WINDOWS_PER_CHUNK = 240;
/** Time that one statement may cover, unless a single window is longer: the fluid model holds each of its seconds. */
const MAX_CHUNK_MS = 4 * 60 * 60 * 1000;

/**
 * Computes the windows of a range in time order, many per statement, with bounded memory. What is stored after each
 * chunk is consistent: an interrupted run goes on where it stopped.
 */
export async function analyzeRange(store: Store, request: AnalyzeRequest): Promise<AnalyzeResult> {
  const { fromMs, toMs } = request;
  let windows = 0;
  let written = 0;
  let expired = 0;
  for (const chunk of await planRange(store, request)) {
    request.signal?.throwIfAborted();
    const computed = await computeRange(store, { ...request, ...chunk });
    windows += computed.windows;
    written += computed.written;
    expired += computed.expired;
    request.onProgress?.(chunk.toMs - fromMs, toMs - fromMs);
  }
  return { windows, written, expired };
}

/** The chunks of a range, in time order, each of which one computation takes; parts without any request are left out. */
export async function planRange(
  store: Store,
  request: Pick<AnalyzeRequest, 'pool' | 'windowMs' | 'fromMs' | 'toMs' | 'options'>,
): Promise<Span[]> {
  const { pool, windowMs, fromMs, toMs, options } = request;
  const hours = await store.query('jobs', ACTIVE_HOURS, { pool });
  const active = hours.map((hour) => ({
    fromMs: hour.firstArrivalMs,
    // An open request may be waiting for so long after the last arrival.
    toMs: Math.max(hour.latestEndMs, hour.lastArrivalMs + options.maxRequestAgeMs),
  }));
  const perMinute = await store.query('jobs', REQUESTS_PER_MINUTE, { pool, from_ms: fromMs, to_ms: toMs });
  return planChunks({ fromMs, toMs }, active, perMinute, {
    windowMs,
    maxRows: MAX_ROWS_PER_CHUNK,
    maxWindows: Math.max(1, Math.min(MAX_WINDOWS_PER_CHUNK, Math.floor(MAX_CHUNK_MS / windowMs))),
  });
}
