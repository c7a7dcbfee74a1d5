import { type Static, Type } from 'typebox';
import { BACKFILLS, type BackfillRow } from '../queries/backfill-progress.ts';
import { POOL_SPANS, type PoolSpan } from '../queries/pool-state.ts';
import type { Lane, Store } from '../storage/index.ts';
import { noteBackfill } from './backfill.ts';
import { lastWindowEnd, nextWindowStart, type Span, windowStart } from './bounds.ts';
import { DEFAULT_WATERMARK_OPTIONS, decideWatermark } from './watermark.ts';

/** A range that the jobs were asked to compute, as the API shows it. */
export const BackfillSchema = Type.Object({
  pool: Type.String(),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  /** Everything before it is computed. */
  done_to: Type.String({ format: 'date-time' }),
  done_ratio: Type.Number({ minimum: 0, maximum: 1 }),
  state: Type.Enum(['waiting', 'running', 'done', 'failed']),
  /** Windows of the part that is computed; of those, the ones that changed, and the ones whose requests have expired. */
  windows: Type.Integer(),
  written: Type.Integer(),
  expired: Type.Integer(),
  /** Why it failed; null unless it did. */
  failure: Type.Union([Type.String(), Type.Null()]),
});
export type Backfill = Static<typeof BackfillSchema>;

export const BackfillListSchema = Type.Object({ backfills: Type.Array(BackfillSchema) });

export interface BackfillAsk {
  /** null: every pool. */
  readonly pool: string | null;
  /** null: from the first stored request. */
  readonly fromMs: number | null;
  /** null: to the last closed window. */
  readonly toMs: number | null;
}

export type BackfillAnswer =
  | { readonly kind: 'asked'; readonly backfills: readonly Backfill[] }
  | { readonly kind: 'no_pool'; readonly known: readonly string[] }
  /** The range holds no closed window with requests. */
  | { readonly kind: 'no_window' }
  /** Another range of the pool is not done yet; nothing was asked for. */
  | { readonly kind: 'busy'; readonly backfill: Backfill };

/** The door to backfills that the jobs do. */
export interface Backfills {
  ask(ask: BackfillAsk): Promise<BackfillAnswer>;
  /** The newest of every pool, by pool. */
  list(): Promise<Backfill[]>;
}

/** Asking leaves a row in the store, so that whichever process runs the jobs finds it, after a restart too. */
export function createBackfills(
  store: Store,
  options: { readonly windowMs: number; readonly nowMs: () => number },
): Backfills {
  const { windowMs } = options;
  return {
    async ask(ask) {
      const nowMs = options.nowMs();
      const spans = await store.query('reads', POOL_SPANS, {});
      const chosen = spans.filter(({ pool }) => ask.pool === null || pool === ask.pool);
      if (chosen.length === 0) return { kind: 'no_pool', known: spans.map(({ pool }) => pool) };
      const known = new Map((await readAskedBackfills(store, 'reads', windowMs)).map((row) => [row.pool, row]));
      const rows: { readonly row: BackfillRow; readonly isNew: boolean }[] = [];
      for (const span of chosen) {
        const range = closedRange(span, ask, { windowMs, nowMs });
        const earlier = known.get(span.pool);
        if (earlier !== undefined && isPending(earlier)) {
          if (!isSame(earlier, ask, range)) return { kind: 'busy', backfill: shownBackfill(earlier) };
          rows.push({ row: earlier, isNew: false });
        } else if (range.fromMs < range.toMs) rows.push({ row: freshRow(span.pool, range), isNew: true });
      }
      if (rows.length === 0) return { kind: 'no_window' };
      for (const { row, isNew } of rows) {
        if (isNew) await noteBackfill(store, 'intake', { ...row, windowMs, updatedAtMs: nowMs });
      }
      return { kind: 'asked', backfills: rows.map(({ row }) => shownBackfill(row)) };
    },
    list: async () => (await readAskedBackfills(store, 'reads', windowMs)).map(shownBackfill),
  };
}

/** The ranges that the jobs were asked for, the newest of every pool. */
export async function readAskedBackfills(store: Store, lane: Lane, windowMs: number): Promise<BackfillRow[]> {
  return (await store.query(lane, BACKFILLS, { window_ms: windowMs })).filter(({ asked }) => asked);
}

/** Neither done nor failed. */
export function isPending(row: BackfillRow): boolean {
  return row.failure === null && row.doneToMs < row.toMs;
}

/** To ask again is to look at what is under way; its end without a given one was that of another moment. */
function isSame(row: BackfillRow, ask: BackfillAsk, range: Span): boolean {
  return row.fromMs === range.fromMs && (ask.toMs === null || row.toMs === range.toMs);
}

function freshRow(pool: string, range: Span): BackfillRow {
  const counts = { windows: 0, written: 0, expired: 0 };
  return { pool, ...range, doneToMs: range.fromMs, asked: true, ...counts, failure: null };
}

/** The whole windows of a range in which requests may be, as far as they are closed: what is open is the minute job's. */
function closedRange(
  span: PoolSpan,
  ask: BackfillAsk,
  { windowMs, nowMs }: { readonly windowMs: number; readonly nowMs: number },
): Span {
  const live = nowMs - span.latestEndMs < DEFAULT_WATERMARK_OPTIONS.idleAfterMs;
  const sources = live ? [{ newestEventMs: span.latestEndMs, lastMovedMs: nowMs }] : [];
  return {
    fromMs: windowStart(Math.max(ask.fromMs ?? span.firstArrivalMs, span.firstArrivalMs), windowMs),
    toMs: Math.min(
      nextWindowStart(Math.min(ask.toMs ?? span.latestEndMs + 1, span.latestEndMs + 1), windowMs),
      lastWindowEnd(decideWatermark(sources, nowMs), windowMs),
    ),
  };
}

function shownBackfill(row: BackfillRow): Backfill {
  const { fromMs, toMs, doneToMs, failure } = row;
  return {
    pool: row.pool,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    done_to: new Date(doneToMs).toISOString(),
    done_ratio: (doneToMs - fromMs) / (toMs - fromMs),
    state: stateOf(row),
    windows: row.windows,
    written: row.written,
    expired: row.expired,
    failure,
  };
}

function stateOf({ fromMs, toMs, doneToMs, failure }: BackfillRow): Backfill['state'] {
  if (failure !== null) return 'failed';
  if (doneToMs >= toMs) return 'done';
  return doneToMs > fromMs ? 'running' : 'waiting';
}
