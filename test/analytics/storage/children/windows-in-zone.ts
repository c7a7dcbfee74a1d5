import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defineQuery,
  migrate,
  openClickHouse,
  type Parameters,
  readMigrations,
} from '../../../../analytics/storage/index.ts';
import { computeRange } from '../../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../../analytics/window/read-windows.ts';
import { randomLog } from '../../../support/random-log.ts';
import { declareSlots, insertEvents } from '../../../support/temporary-store.ts';

// Computes the windows of some random logs and prints, a line each: the zone that the engine sees, then the windows.
const ZONE = defineQuery<Parameters, string>({
  name: 'zone',
  sql: "SELECT timezone() || ' ' || toString(toDateTime(0)) AS zone",
  decode: (row) => String(row.zone),
});

const path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
const store = await openClickHouse({ kind: 'embedded', path });
await migrate(store, { dryRun: false, migrations: await readMigrations(process.argv[2] ?? '') });
process.stdout.write(`${(await store.query('reads', ZONE, {}))[0]} ${new Date(0).getTimezoneOffset()}\n`);
for (const seed of [3, 7, 11]) {
  const { events, options } = randomLog(seed);
  const pool = `log-${seed}`;
  await declareSlots(store, pool, options.slots ?? 2);
  await insertEvents(
    store,
    events.map((each) => ({ ...each, pool })),
  );
  const range = { pool, windowMs: options.windowMs, fromMs: options.fromMs, toMs: options.toMs };
  await computeRange(store, {
    ...range,
    watermarkMs: options.watermarkMs,
    closedToMs: Number.POSITIVE_INFINITY,
    options: { ...DEFAULT_POOL_OPTIONS, costUnit: options.costUnit, maxRequestAgeMs: options.maxRequestAgeMs },
    computation: 1,
  });
  process.stdout.write(`${JSON.stringify(await readWindows(store, 'reads', range, true))}\n`);
}
await store.close();
await rm(path, { recursive: true, force: true });
// The engine's threads would keep the process alive.
process.exit(0);
