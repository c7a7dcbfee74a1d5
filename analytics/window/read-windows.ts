import { STORED_TENANT_WINDOWS, STORED_WINDOWS } from '../queries/stored-windows.ts';
import type { Lane, Store } from '../storage/index.ts';
import type { TenantWindow, Window } from './window-result.ts';

export interface WindowRange {
  readonly pool: string;
  readonly windowMs: number;
  /** `[fromMs, toMs)`: windows that start inside it. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The stored windows of a range in time order, with their tenants by name unless they are not wanted. */
export async function readWindows(
  store: Store,
  lane: Lane,
  range: WindowRange,
  withTenants: boolean,
): Promise<Window[]> {
  const params = { pool: range.pool, window_ms: range.windowMs, from_ms: range.fromMs, to_ms: range.toMs };
  const stored = await store.query(lane, STORED_WINDOWS, params);
  if (!withTenants) return stored.map((row) => row.window);
  const tenants = new Map<number, TenantWindow[]>();
  for (const row of await store.query(lane, STORED_TENANT_WINDOWS, params)) {
    const group = tenants.get(row.startMs);
    if (group === undefined) tenants.set(row.startMs, [row.tenant]);
    else group.push(row.tenant);
  }
  return stored.map((row) => ({ ...row.window, tenants: sortByName(tenants.get(row.startMs) ?? []) }));
}

/** The engine sorts names by bytes, this code by UTF-16 units: one order for all that is shown. */
function sortByName(tenants: TenantWindow[]): TenantWindow[] {
  return tenants.sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
}
