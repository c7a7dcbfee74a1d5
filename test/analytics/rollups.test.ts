import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RangeTotals, readTotals, waitQuantiles } from '../../analytics/rollups.ts';
import { defineQuery, type Parameters } from '../../analytics/storage/index.ts';
import type { Span } from '../../analytics/window/bounds.ts';
import { type RolledUp, rollUp } from '../../analytics/window/roll-up.ts';
import { quantileRank } from '../../scheduler-core/index.ts';
import { type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';
import { literalPoolTotals, literalTenantTotals } from './literal-totals.ts';
import { type Minute, randomFrom, randomMinute, storeMinutes } from './stored-minutes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Around which windows lie: UTC knows no summer time, but a slip of the zone would show there. */
const PLACES = [
  { why: 'a leap day', startMs: Date.UTC(2028, 1, 28), days: 4 },
  { why: "a year's end", startMs: Date.UTC(2026, 11, 30), days: 4 },
  { why: 'Europe falls back', startMs: Date.UTC(2026, 9, 24), days: 3 },
  { why: 'America springs forward', startMs: Date.UTC(2026, 2, 7), days: 3 },
  { why: 'a whole short month', startMs: Date.UTC(2027, 0, 30), days: 33 },
] as const;

const RUNS = Number(process.env.EVENSHARE_TEST_ROLLUPS ?? 4);

let opened: TemporaryStore;
beforeAll(async () => {
  opened = await temporaryStore();
});
afterAll(() => opened.remove());

interface World {
  readonly pool: string;
  readonly windowMs: number;
  readonly minutes: Map<number, Minute>;
}

async function check(world: World, range: Span, why: string): Promise<RangeTotals> {
  const { pool, windowMs } = world;
  const inside = [...world.minutes.values()]
    .filter(({ startMs }) => startMs >= range.fromMs && startMs < range.toMs)
    .sort((a, b) => a.startMs - b.startMs);
  const found = await readTotals(opened.store, 'reads', { pool, windowMs, tenant: null, ...range });
  const tenants = literalTenantTotals(inside);
  expect(found.tenants, why).toMatchObject(tenants);
  const pools = literalPoolTotals(inside).map((totals) => ({
    ...totals,
    waits: { ...Object(totals.waits), maxMs: null },
  }));
  expect(found.pool, why).toMatchObject(pools);
  const [one] = tenants;
  if (one !== undefined) {
    const name = String(one.tenant);
    const alone = await readTotals(opened.store, 'reads', { pool, windowMs, tenant: name, ...range });
    expect(alone.tenants, `${why}, one tenant`).toEqual(found.tenants.filter(({ tenant }) => tenant === name));
    expect(alone.pool, `${why}, one tenant`).toEqual(found.pool);
  }
  return found;
}

describe('the totals of a range', () => {
  it('equal the sums over its windows exactly, whatever was rolled up when, restated windows among them', async () => {
    const scenario = fc.record({
      seed: fc.nat(),
      place: fc.constantFrom(...PLACES),
      windowMs: fc.constantFrom(MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 7 * MINUTE_MS),
      density: fc.constantFrom(0.02, 0.2),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ seed, place, windowMs, density }) => {
        const random = randomFrom(seed);
        const world: World = { pool: `p${run++}`, windowMs, minutes: new Map() };
        const whole = { fromMs: place.startMs, toMs: place.startMs + place.days * DAY_MS };
        const starts: number[] = [];
        const share = (density * 3) / place.days;
        for (let at = Math.ceil(whole.fromMs / windowMs) * windowMs; at < whole.toMs; at += windowMs) {
          if (random.next() < share * (windowMs / MINUTE_MS) ** 0.5) starts.push(at);
        }
        const moment = () => whole.fromMs + Math.floor(random.next() * (whole.toMs - whole.fromMs));
        const ranges = (): Span[] => [
          whole,
          ...Array.from({ length: 3 }, () => {
            const [fromMs = 0, toMs = 0] = [moment(), moment()].sort((a, b) => a - b);
            return { fromMs, toMs };
          }),
        ];
        const checkAll = async (why: string) => {
          for (const range of ranges()) await check(world, range, `${why} (${place.why}, seed ${seed})`);
        };
        let computation = 1_000;
        const write = async (at: readonly number[]) => {
          computation++;
          const minutes = at.map((startMs) => randomMinute(random, startMs, computation));
          await storeMinutes(opened.store, world, minutes);
          for (const minute of minutes) world.minutes.set(minute.startMs, minute);
        };
        const roll = async (range: Span, closedToMs: number) =>
          rollUp(opened.store, { pool: world.pool, windowMs, ...range, closedToMs });

        await write(starts);
        await checkAll('nothing rolled up');
        for (const range of ranges().slice(1)) await roll(range, moment());
        await checkAll('parts rolled up');
        await write(starts.filter(() => random.next() < 0.1));
        await checkAll('restated since');
        for (const range of ranges().reverse()) await roll(range, moment());
        await write(starts.filter(() => random.next() < 0.05));
        await roll(whole, whole.toMs);
        await checkAll('all rolled up');
        expect(await roll(whole, whole.toMs), 'again').toEqual({ hours: 0, days: 0, months: 0 });
      }),
      { numRuns: RUNS },
    );
  });

  it('come from the rollups where these are whole: without the windows’ tenants months, days and hours still know them', async () => {
    const windowMs = 15 * MINUTE_MS;
    const random = randomFrom(5);
    const world: World = { pool: 'kept', windowMs, minutes: new Map() };
    const [fromMs, toMs] = [Date.UTC(2028, 1, 1), Date.UTC(2028, 2, 1)];
    for (let at = fromMs - DAY_MS; at < toMs + DAY_MS; at += 4 * windowMs) {
      world.minutes.set(at, randomMinute(random, at, 7));
    }
    await storeMinutes(opened.store, world, [...world.minutes.values()]);
    const request = { pool: 'kept', windowMs, fromMs: fromMs - DAY_MS, toMs: toMs + DAY_MS, closedToMs: toMs + DAY_MS };
    const rolled: RolledUp = await rollUp(opened.store, request);
    expect(rolled, 'the 29 days of February 2028, the last of January, so far one of March').toEqual({
      hours: 31 * 24,
      days: 31,
      months: 2,
    });
    await opened.store.command(
      'jobs',
      "ALTER TABLE tenant_windows DELETE WHERE pool = 'kept'",
      {},
      { mutations_sync: 1 },
    );
    await opened.store.command(
      'jobs',
      "ALTER TABLE wait_histograms DELETE WHERE pool = 'kept'",
      {},
      { mutations_sync: 1 },
    );
    await check(world, { fromMs, toMs }, 'a month');
    await check(world, { fromMs: fromMs - DAY_MS, toMs: toMs + DAY_MS }, 'a month and two days');
    await check(world, { fromMs: fromMs - 5 * HOUR_MS, toMs: toMs - 3 * HOUR_MS }, 'hours and days');
    // A zone of half hours: only the edges would need windows, and there are none left.
    const half = { fromMs: fromMs + 5.5 * HOUR_MS, toMs: toMs + 5.5 * HOUR_MS };
    const found = await readTotals(opened.store, 'reads', { pool: 'kept', windowMs, tenant: null, ...half });
    expect(found.tenants.length).toBeGreaterThan(0);
    expect(found.isFinal).toBe(false);
  });

  it('name waits within 1% of the exact quantile, and say when some were never counted in a histogram', async () => {
    const random = randomFrom(11);
    const world: World = { pool: 'waits', windowMs: MINUTE_MS, minutes: new Map() };
    const at = Date.UTC(2027, 4, 4);
    for (let index = 0; index < 200; index++) {
      const startMs = at + index * MINUTE_MS;
      world.minutes.set(startMs, randomMinute(random, startMs, 3));
    }
    await storeMinutes(opened.store, world, [...world.minutes.values()]);
    await rollUp(opened.store, {
      pool: 'waits',
      windowMs: MINUTE_MS,
      fromMs: at,
      toMs: at + 1,
      closedToMs: at + DAY_MS,
    });
    const range = { fromMs: at, toMs: at + DAY_MS };
    const found = await check(world, range, 'a day');
    for (const totals of found.tenants) {
      const waits = [...world.minutes.values()]
        .filter(({ costUnit }) => costUnit === totals.costUnit)
        .flatMap(({ tenants }) =>
          tenants.filter(({ tenant }) => tenant === totals.tenant).flatMap((each) => each.waitsMs),
        );
      const exact = quantileRank(waits, 0.95) ?? Number.NaN;
      expect(Math.abs((waitQuantiles(totals).p95 ?? Number.NaN) - exact)).toBeLessThanOrEqual(0.01 * exact);
    }
    await opened.store.command(
      'jobs',
      "ALTER TABLE wait_histograms DELETE WHERE pool = 'waits'",
      {},
      { mutations_sync: 1 },
    );
    const minute = await readTotals(opened.store, 'reads', {
      pool: 'waits',
      windowMs: MINUTE_MS,
      tenant: null,
      fromMs: at,
      toMs: at + HOUR_MS - 1,
    });
    expect(minute.pool.map(waitQuantiles)[0]).toMatchObject({ p99: null, reason: 'histograms_missing' });
  });

  it('of an empty or unknown range are none', async () => {
    const query = { pool: 'nowhere', windowMs: MINUTE_MS, tenant: null, fromMs: 0, toMs: DAY_MS };
    const none = { isFinal: false, pool: [], tenants: [] };
    expect(await readTotals(opened.store, 'reads', query)).toMatchObject(none);
    expect(await readTotals(opened.store, 'reads', { ...query, toMs: 0 })).toMatchObject(none);
    expect(await rollUp(opened.store, { ...query, closedToMs: DAY_MS })).toEqual({ hours: 0, days: 0, months: 0 });
  });
});

const ROLLUP_ROWS = defineQuery<Parameters & { readonly pool: string }, Readonly<Record<string, unknown>>>({
  name: 'test-rollup-rows',
  sql: `SELECT * FROM tenant_rollups FINAL WHERE pool = {pool:String} ORDER BY period, start_ms, fingerprint, tenant, cost_unit`,
  decode: (row) => ({ ...row, pool: null }),
});

describe('rolling up', () => {
  it('in any order, in parts or at once, stores the same rows', async () => {
    const at = Date.UTC(2026, 5, 29);
    const whole = { fromMs: at, toMs: at + 3 * DAY_MS, closedToMs: at + 3 * DAY_MS };
    const minutes = (() => {
      const random = randomFrom(3);
      return Array.from({ length: 60 }, (_, index) => randomMinute(random, at + index * 72 * MINUTE_MS, 9));
    })();
    const rowsOf = async (pool: string, parts: readonly { fromMs: number; toMs: number; closedToMs: number }[]) => {
      await storeMinutes(opened.store, { pool, windowMs: MINUTE_MS }, minutes);
      for (const part of parts) await rollUp(opened.store, { pool, windowMs: MINUTE_MS, ...part });
      return opened.store.query('reads', ROLLUP_ROWS, { pool });
    };
    const atOnce = await rowsOf('at-once', [whole]);
    const hours = Array.from({ length: 72 }, (_, hour) => ({
      fromMs: at + hour * HOUR_MS,
      toMs: at + (hour + 1) * HOUR_MS,
      closedToMs: whole.closedToMs,
    }));
    expect(atOnce.length).toBeGreaterThan(100);
    expect(await rowsOf('backwards', hours.reverse())).toEqual(atOnce);
    expect(await rowsOf('often', [whole, whole, ...hours.slice(5, 9), whole])).toEqual(atOnce);
  });
});
