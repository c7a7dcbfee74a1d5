import {
  HOURS_NOT_COMPUTED,
  KNOWN_TENANTS,
  POOL_PROGRESS,
  POOLS_OF_TENANT,
  TENANT_HISTORY,
  TENANTS_IN_RANGE,
  type TenantHistoryWindow,
} from './queries/tenant-history.ts';
import type { Store } from './storage/index.ts';
import type { Span } from './window/bounds.ts';

/** How far a pool's windows are computed, epoch ms. */
export interface PoolProgress {
  readonly pool: string;
  /** End of its newest stored window, and the watermark when that was computed; null where none is stored. */
  readonly computedToMs: number | null;
  readonly watermarkMs: number | null;
  /** Hours of the range with requests that no stored window covers. */
  readonly hoursNotComputed: number;
}

/** What the store knows of a name. */
export interface KnownTenant {
  /** Tenants with stored windows, over all time. */
  readonly tenantsInStore: number;
  /** Starts of the tenant's first and last window; null for a tenant that has none. */
  readonly span: { readonly firstMs: number; readonly lastMs: number } | null;
}

/** The read door for reports: one tenant's stored windows, never another's figures or name, never computed anew. */
export interface TenantHistoryReader {
  /** Length of the windows that it reads. */
  readonly windowMs: number;
  /** The tenants with windows that start in the range, by name, each with its pools by name. */
  tenants(range: Span): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The pools in which the tenant has windows that start in the range, by name. */
  poolsOf(tenant: string, range: Span): Promise<readonly string[]>;
  known(tenant: string): Promise<KnownTenant>;
  /** Every pool that holds requests or windows, by name. */
  progress(range: Span): Promise<readonly PoolProgress[]>;
  /**
   * All windows of the pool that start in the range, in time order, in pages of a week, so that no range needs
   * the room of more. Windows without the tenant are there too: they tell how much of the range is known.
   */
  windows(pool: string, tenant: string, range: Span): AsyncIterable<readonly TenantHistoryWindow[]>;
}

const PAGE_MS = 7 * 24 * 60 * 60 * 1000;

export function createTenantHistoryReader(
  store: Store,
  { windowMs }: { readonly windowMs: number },
): TenantHistoryReader {
  const within = (range: Span) => ({ window_ms: windowMs, from_ms: range.fromMs, to_ms: range.toMs });
  return {
    windowMs,

    async tenants(range) {
      const pools = new Map<string, string[]>();
      for (const { pool, tenant } of await store.query('reads', TENANTS_IN_RANGE, within(range))) {
        const known = pools.get(tenant);
        if (known === undefined) pools.set(tenant, [pool]);
        else known.push(pool);
      }
      return new Map([...pools].sort(([a], [b]) => (a < b ? -1 : 1)));
    },

    async poolsOf(tenant, range) {
      const rows = await store.query('reads', POOLS_OF_TENANT, { ...within(range), tenant });
      return rows.map((row) => row.pool);
    },

    async known(tenant) {
      const [row] = await store.query('reads', KNOWN_TENANTS, { window_ms: windowMs, tenant });
      const { tenants = 0, windows = 0, firstMs = 0, lastMs = 0 } = row ?? {};
      return { tenantsInStore: tenants, span: windows === 0 ? null : { firstMs, lastMs } };
    },

    async progress(range) {
      const computed = await store.query('reads', POOL_PROGRESS, { window_ms: windowMs });
      const missing = await store.query('reads', HOURS_NOT_COMPUTED, within(range));
      const hours = new Map(missing.map((row) => [row.pool, row.hours]));
      const pools = new Map(computed.map((row) => [row.pool, row]));
      return [...new Set([...pools.keys(), ...hours.keys()])].sort().map((pool) => ({
        pool,
        computedToMs: pools.get(pool)?.computedToMs ?? null,
        watermarkMs: pools.get(pool)?.watermarkMs ?? null,
        hoursNotComputed: hours.get(pool) ?? 0,
      }));
    },

    async *windows(pool, tenant, range) {
      for (let fromMs = range.fromMs; fromMs < range.toMs; fromMs += PAGE_MS) {
        const page = { fromMs, toMs: Math.min(fromMs + PAGE_MS, range.toMs) };
        const rows = await store.query('reads', TENANT_HISTORY, { ...within(page), pool, tenant });
        if (rows.length > 0) yield rows;
      }
    },
  };
}
