import { CONFIGURED_CAPACITY, TENANT_WEIGHTS } from '../queries/pool-state.ts';
import { type Store, tsvRow } from '../storage/index.ts';

export interface DeclaredCapacity {
  readonly slots: number | null;
  /** Work per second in the pool's cost unit. */
  readonly capacityPerS: number | null;
}

const CAPACITY_COLUMNS = ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'];
const WEIGHT_COLUMNS = ['pool', 'tenant', 'at_ms', 'weight', 'stored_at_ms'];

/**
 * Notes a pool's capacity as configured, where it differs from what was noted last: the first from the beginning of
 * time, a later one from now on, so that windows of last month keep what held then.
 */
export async function declareCapacity(
  store: Store,
  pool: string,
  capacity: DeclaredCapacity,
  nowMs: number,
): Promise<void> {
  if (capacity.slots === null && capacity.capacityPerS === null) return;
  const last = (await store.query('jobs', CONFIGURED_CAPACITY, { pool })).at(-1);
  if (last?.slots === capacity.slots && last.capacityPerS === capacity.capacityPerS) return;
  const row = [pool, last === undefined ? 0 : nowMs, 'configured', capacity.slots, capacity.capacityPerS, nowMs];
  await store.insert('jobs', 'pool_capacity', CAPACITY_COLUMNS, tsvRow(row));
}

/** The same for the weights of a pool's tenants; a tenant that is no longer named has weight 1 from now on. */
export async function declareWeights(
  store: Store,
  pool: string,
  weights: Readonly<Record<string, number>>,
  nowMs: number,
): Promise<void> {
  const known = new Map(
    (await store.query('jobs', TENANT_WEIGHTS, { pool })).map((entry) => [entry.tenant, entry.weight]),
  );
  const wanted = new Map([...[...known.keys()].map((tenant) => [tenant, 1] as const), ...Object.entries(weights)]);
  let rows = '';
  for (const [tenant, weight] of wanted) {
    if (known.get(tenant) === weight) continue;
    rows += tsvRow([pool, tenant, known.has(tenant) ? nowMs : 0, weight, nowMs]);
  }
  await store.insert('jobs', 'tenant_weights', WEIGHT_COLUMNS, rows);
}
