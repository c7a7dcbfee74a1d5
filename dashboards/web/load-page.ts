import type { PoolSummary, PoolsResponse, PoolWindows, Window } from '../api-schema.ts';
import type { Answer, ApiClient } from './api-client.ts';
import { type Slot, type SlotRange, slotIndexAt, slotRange, slotsOf } from './time-slots.ts';
import type { Selection } from './url-state.ts';

/** What one pool shows. */
export interface PoolView {
  readonly summary: PoolSummary;
  readonly range: SlotRange;
  readonly slots: readonly Slot[];
  readonly quality: PoolWindows['quality'];
  readonly chosenIndex: number;
  /** The chosen window with its tenants; null where none is stored. */
  readonly chosen: Window | null;
}

export interface PageView {
  readonly pools: PoolsResponse;
  /** The pool that is shown; null when there is none, or none of the name that was asked for. */
  readonly pool: PoolSummary | null;
  /** Null until the pool has a window. */
  readonly view: PoolView | null;
}

export type Refusal = Extract<Answer<never>, { ok: false }>;

/** Loads all that a selection shows. `previous` saves loading a chosen window again whose figures are the same. */
export async function loadPage(
  api: ApiClient,
  selection: Selection,
  previous: PageView | null,
): Promise<Answer<PageView>> {
  const answer = await api.pools();
  if (!answer.ok) return answer;
  const pools = answer.body;
  const pool = choosePool(pools.pools, selection.pool);
  if (pool?.latest == null) return { ok: true, body: { pools, pool, view: null } };

  const windowMs = pools.window_ms;
  const range = slotRange(Date.parse(pool.latest.end), selection.atMs, windowMs);
  const windows = await api.windows({ pool: pool.pool, ...range, withTenants: false });
  if (!windows.ok) return windows;
  const slots = slotsOf(range, windows.body.windows, windowMs);
  const chosenIndex = slotIndexAt(slots, selection.atMs ?? range.toMs);
  const chosen = await loadChosen(api, pool.pool, slots[chosenIndex] ?? null, previous);
  if (!chosen.ok) return chosen;
  const view = { summary: pool, range, slots, quality: windows.body.quality, chosenIndex, chosen: chosen.body };
  return { ok: true, body: { pools, pool, view } };
}

/** The pool of that name, or where none is named the first one that has figures. */
function choosePool(pools: readonly PoolSummary[], name: string | null): PoolSummary | null {
  if (name !== null) return pools.find((pool) => pool.pool === name) ?? null;
  return pools.find((pool) => pool.latest !== null) ?? pools[0] ?? null;
}

async function loadChosen(
  api: ApiClient,
  pool: string,
  slot: Slot | null,
  previous: PageView | null,
): Promise<Answer<Window | null>> {
  if (slot?.window == null) return { ok: true, body: null };
  const known = previous?.view?.summary.pool === pool ? previous.view.chosen : null;
  if (known !== null && JSON.stringify({ ...known, tenants: [] }) === JSON.stringify(slot.window)) {
    return { ok: true, body: known };
  }
  const answer = await api.windows({ pool, fromMs: slot.startMs, toMs: slot.endMs, withTenants: true });
  return answer.ok ? { ok: true, body: answer.body.windows[0] ?? null } : answer;
}
