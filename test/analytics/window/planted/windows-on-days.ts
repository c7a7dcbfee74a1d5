import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openClickHouse, readMigrations } from '../../../../analytics/storage/index.ts';
import { computeRange } from '../../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../../analytics/window/read-windows.ts';
import { declareSlots, event, insertEvents } from '../../../support/temporary-store.ts';

// The same ten minutes on several days. Prints, a line each: the offsets of the zone on the days, then the windows.
const STARTS = [
  // Clocks change: in Newfoundland, in Europe, on Lord Howe Island.
  Date.UTC(2026, 2, 8, 5, 25),
  Date.UTC(2026, 9, 25, 0, 55),
  Date.UTC(2026, 3, 4, 14, 55),
  Date.UTC(2028, 1, 28, 23, 55),
  Date.UTC(2028, 1, 29, 23, 55),
  Date.UTC(2026, 11, 31, 23, 55),
];
const MINUTE_MS = 60_000;

const path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
const store = await openClickHouse({ kind: 'embedded', path });
await migrate(store, { dryRun: false, migrations: await readMigrations(process.argv[2] ?? '') });
process.stdout.write(`${STARTS.map((startMs) => new Date(startMs).getTimezoneOffset()).join(' ')}\n`);
for (const fromMs of STARTS) {
  const pool = `from ${fromMs}`;
  const events = Array.from({ length: 400 }, (_, index) => {
    const arrivedAtMs = fromMs + index * 1_475;
    const dispatchedAtMs = arrivedAtMs + (index % 11) * 700;
    const times = { arrivedAtMs, dispatchedAtMs, completedAtMs: dispatchedAtMs + 900 + (index % 7) * 800 };
    return event({ pool, requestId: `r${index}`, tenant: `t${index % 4}`, status: 'ok', ...times });
  });
  await declareSlots(store, pool, 2);
  await insertEvents(store, events);
  const range = { pool, windowMs: MINUTE_MS, fromMs, toMs: fromMs + 11 * MINUTE_MS };
  await computeRange(store, {
    ...range,
    watermarkMs: range.toMs,
    closedToMs: Number.POSITIVE_INFINITY,
    options: DEFAULT_POOL_OPTIONS,
    computation: 1,
  });
  process.stdout.write(`${JSON.stringify(await readWindows(store, 'reads', range, true))}\n`);
}
await store.close();
await rm(path, { recursive: true, force: true });
// The engine's threads would keep the process alive.
process.exit(0);
