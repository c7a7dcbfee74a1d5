import { rm } from 'node:fs/promises';
import { type RangeTotals, readTotals, type TotalsQuery } from '../../../analytics/rollups.ts';
import { defineQuery, type Parameters, type Store } from '../../../analytics/storage/index.ts';
import { rollUp } from '../../../analytics/window/roll-up.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { openMigrated } from '../ingest/load-tasks.ts';
import { type ProcessFigures, watchProcess } from '../process-figures.ts';

export interface RollupsInput {
  readonly storePath: string;
  readonly tenants: number;
  readonly days: number;
  readonly runs: number;
}

export interface RollupsFigures extends ProcessFigures {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[];
  readonly minuteRows: number;
  readonly rollUpMs: number;
  readonly oneHourMs: number;
  readonly reads: readonly {
    readonly name: string;
    readonly minutesMs: readonly number[];
    readonly rollupsMs: readonly number[];
  }[];
}

const FROM_MS = Date.UTC(2026, 5, 1);
const BASE = { pool: 'p', windowMs: MINUTE_MS } as const;

export async function measureRollups(input: RollupsInput): Promise<RollupsFigures> {
  const store = await openMigrated(input.storePath);
  try {
    const toMs = FROM_MS + input.days * DAY_MS;
    for (let day = 0; day < input.days; day++) await storeDay(store, FROM_MS + day * DAY_MS, input.tenants, 1);
    const figures = watchProcess();
    const kinds = readsOf(toMs);
    const fromMinutes = await readAll(store, kinds, Math.min(input.runs, 2));
    const rollUpMs = await timeMs(() => rollUp(store, { ...BASE, fromMs: FROM_MS, toMs, closedToMs: toMs }));
    const fromRollups = await readAll(store, kinds, input.runs);
    kinds.forEach(({ name }, index) => {
      const [minutes, rollups] = [fromMinutes[index]?.totals, fromRollups[index]?.totals];
      if (print(minutes) !== print(rollups)) throw new Error(`${name}: the rollups differ from the minutes`);
    });
    const tables = await store.query('reads', TABLE_SIZES, {});
    await storeHour(store, toMs - HOUR_MS, input.tenants);
    return {
      tables,
      minuteRows: input.tenants * input.days * 1_440,
      rollUpMs,
      oneHourMs: await timeMs(() => rollUp(store, { ...BASE, fromMs: toMs - HOUR_MS, toMs, closedToMs: toMs })),
      reads: kinds.map(({ name }, index) => ({
        name,
        minutesMs: fromMinutes[index]?.timesMs ?? [],
        rollupsMs: fromRollups[index]?.timesMs ?? [],
      })),
      ...figures(),
    };
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

/** A calendar month; and 30 days of a zone of half hours, in which no month lies. */
function readsOf(toMs: number): { readonly name: string; readonly query: TotalsQuery }[] {
  const month = { ...BASE, fromMs: FROM_MS, toMs: Date.UTC(2026, 6, 1) };
  const last30 = { ...BASE, fromMs: toMs - 30 * DAY_MS - 5.5 * HOUR_MS, toMs: toMs - 5.5 * HOUR_MS };
  return [
    { name: 'a month, one tenant', query: { ...month, tenant: 't7' } },
    { name: 'a month, all tenants', query: { ...month, tenant: null } },
    { name: '30 days from a half hour on, one tenant', query: { ...last30, tenant: 't7' } },
    { name: '30 days from a half hour on, all tenants', query: { ...last30, tenant: null } },
  ];
}

async function readAll(store: Store, kinds: ReturnType<typeof readsOf>, runs: number) {
  const found: { totals: RangeTotals | null; timesMs: number[] }[] = [];
  for (const { query } of kinds) {
    const timesMs: number[] = [];
    let totals: RangeTotals | null = null;
    // The first only warms up.
    for (let run = 0; run <= runs; run++) {
      const ms = await timeMs(async () => {
        totals = await readTotals(store, 'reads', query);
      });
      if (run > 0) timesMs.push(ms);
    }
    found.push({ totals, timesMs });
  }
  return found;
}

const print = (totals: RangeTotals | null | undefined): string =>
  JSON.stringify(totals, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Map ? [...value] : value;
  });

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

const minutesOf = (firstMs: number, count: number): Parameters => ({ from_ms: firstMs, minutes: count });

async function storeHour(store: Store, startMs: number, tenants: number): Promise<void> {
  await storeMinutes(store, { ...minutesOf(startMs, 60), tenants, computation: 2 });
}

async function storeDay(store: Store, startMs: number, tenants: number, computation: number): Promise<void> {
  await storeMinutes(store, { ...minutesOf(startMs, 1_440), tenants, computation });
}

/** Made by the engine: a figure of every kind, eight buckets of waits a tenant and minute. */
async function storeMinutes(store: Store, params: Parameters): Promise<void> {
  const each = `FROM (SELECT {from_ms:Int64} + 60000 * intDiv(number, {tenants:UInt64}) AS start_ms, number % {tenants:UInt64} AS n,
    cityHash64(number, {from_ms:Int64}) AS h FROM numbers({minutes:UInt64} * {tenants:UInt64}))`;
  await store.command(
    'jobs',
    `INSERT INTO tenant_windows (pool, window_ms, start_ms, computation, tenant, weight, verdict, arrived_cost, arrived_cost_raw,
    demand_cost, backlog_cost, fair_share_cost, served_cost, normalized_share, in_share, lag_cost, requests, retries, rejected,
    quota_refused_cost, wait_p99_ms, wait_max_ms, wait_samples, wait_provenance)
SELECT 'p', 60000, start_ms, {computation:UInt64}, concat('t', toString(n)), 1, if(h % 50 = 0, 'short', 'fair'), h % 1000 / 7, h % 1000 / 7,
    h % 1100 / 7, 0, h % 1000 / 7.5, h % 1000 / 8, 7.5 / 8, h % 20 != 0, 0, h % 300, h % 3,
    if(h % 10 = 0, map('queue_full', h % 5 + 1), map()), 0, h % 900, h % 1000, 80, 'measured' ${each}`,
    params,
  );
  await store.command(
    'jobs',
    `INSERT INTO wait_histograms (pool, window_ms, start_ms, computation, tenant, waits)
SELECT 'p', 60000, start_ms, {computation:UInt64}, concat('t', toString(n)),
    mapFromArrays(arrayMap(i -> toInt16(200 + 20 * i + h % 20), range(8)), arrayMap(i -> toUInt64(10), range(8))) ${each}`,
    params,
  );
  await store.command(
    'jobs',
    `INSERT INTO windows (pool, window_ms, start_ms, computation, state, verdict, cost_unit, in_share_threshold_ms, wait_samples)
SELECT 'p', 60000, {from_ms:Int64} + 60000 * number, {computation:UInt64}, 'final', 'fair', 'requests', 500, 80 * {tenants:UInt64}
FROM numbers({minutes:UInt64})`,
    params,
  );
}

const TABLE_SIZES = defineQuery<Parameters, RollupsFigures['tables'][number]>({
  name: 'bench-table-sizes',
  sql: `SELECT table, sum(rows) AS row_count, sum(bytes_on_disk) AS byte_count
FROM system.parts
WHERE active AND database = currentDatabase()
    AND table IN ('tenant_windows', 'wait_histograms', 'windows', 'tenant_rollups', 'pool_rollups')
GROUP BY table ORDER BY table`,
  decode: (row) => ({ table: String(row.table), rows: Number(row.row_count), bytes: Number(row.byte_count) }),
});
