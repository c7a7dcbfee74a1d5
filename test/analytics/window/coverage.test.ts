import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFairnessJob, DEFAULT_POOL_OPTIONS, DEFAULT_WATERMARK_OPTIONS } from '../../../analytics/index.ts';
import { type Store, tsvRow } from '../../../analytics/storage/index.ts';
import { coverageRatio } from '../../../analytics/window/decide-coverage.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import { declareSlots, event, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const MINUTE_MS = 60_000;
/** 2026-10-01T10:00:00Z. */
const FROM_MS = 1_790_848_800_000;
const seed = Number(process.env.EVENSHARE_TEST_SEED ?? 1);

const report = (fromMs: number, toMs: number, decisions: number, held: number) => ({
  gateway: 'g',
  fromMs,
  toMs,
  decisions,
  held,
});

describe('coverage of a window', () => {
  it.each([
    { why: 'no gateway reports', reports: [], ratio: null },
    { why: 'reports on other windows only', reports: [report(60, 120, 9, 0)], ratio: null },
    { why: 'all is there', reports: [report(0, 60, 10, 10)], ratio: 1 },
    { why: 'one of ten is lost', reports: [report(0, 60, 10, 9)], ratio: 0.9 },
    {
      why: 'too many of one make up for no loss of another',
      reports: [report(0, 60, 10, 20), report(0, 60, 10, 0)],
      ratio: 0.5,
    },
    { why: 'nothing was decided', reports: [report(0, 60, 0, 0)], ratio: 1 },
    {
      why: 'a report beyond the window counts by its part',
      reports: [report(0, 60, 10, 10), report(30, 90, 20, 0)],
      ratio: 0.5,
    },
  ])('$why: $ratio', ({ reports, ratio }) => {
    expect(coverageRatio(reports, 0, 60)).toBe(ratio);
  });

  it(`lies between the least and the greatest of its reports, and is 1 only if nothing is missing (seed ${seed})`, () => {
    const reports = fc.array(
      fc
        .tuple(fc.nat(50), fc.integer({ min: 1, max: 60 }), fc.nat(100), fc.nat(120))
        .map(([from, length, decisions, held]) => report(from, from + length, decisions, held)),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(reports, (drawn) => {
        const ratio = coverageRatio(drawn, 0, 60);
        const parts = drawn
          .filter(({ fromMs, toMs, decisions }) => fromMs < 60 && toMs > 0 && decisions > 0)
          .map(({ decisions, held }) => Math.min(1, held / decisions));
        if (parts.length === 0) return;
        expect(ratio).toBeGreaterThanOrEqual(Math.min(...parts) - 1e-12);
        expect(ratio).toBeLessThanOrEqual(Math.max(...parts) + 1e-12);
      }),
      { seed },
    );
  });
});

describe('coverage in the store', () => {
  let opened: TemporaryStore;
  let store: Store;
  beforeAll(async () => {
    opened = await temporaryStore();
    store = opened.store;
  });
  afterAll(() => opened.remove());

  async function send(pool: string, gateway: string, ids: readonly string[], storedAtMs: number): Promise<void> {
    const rows = ids.map((requestId, index) => {
      const arrivedAtMs = FROM_MS + index;
      const times = { dispatchedAtMs: arrivedAtMs, completedAtMs: arrivedAtMs + 5 };
      return tsvRow(
        requestCells({ ...event({ requestId, tenant: 'a', arrivedAtMs, ...times }), pool, gateway }, storedAtMs),
      );
    });
    await store.insert('intake', 'requests', REQUEST_COLUMNS, rows.join(''));
  }

  async function counted(pool: string, gateway: string, decisions: number, storedAtMs: number): Promise<void> {
    const columns = ['pool', 'gateway', 'from_ms', 'to_ms', 'decisions', 'stored_at_ms'];
    const row = tsvRow([pool, gateway, FROM_MS, FROM_MS + MINUTE_MS, decisions, storedAtMs]);
    await store.insert('intake', 'coverage_reports', columns, row);
  }

  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const job = () =>
    createFairnessJob(store, {
      windowMs: MINUTE_MS,
      poolOptions: () => DEFAULT_POOL_OPTIONS,
      watermark: DEFAULT_WATERMARK_OPTIONS,
      lateCheckEveryMs: MINUTE_MS,
    });
  const windowOf = async (pool: string) => {
    const span = { pool, windowMs: MINUTE_MS, fromMs: FROM_MS, toMs: FROM_MS + MINUTE_MS };
    return (await readWindows(store, 'reads', span, false))[0];
  };

  it('makes the verdict unknown while events are missing, and known again once they have come', async () => {
    const pool = 'late-events';
    await declareSlots(store, pool, 4);
    const [first, second] = [FROM_MS + 2 * MINUTE_MS, FROM_MS + 5 * MINUTE_MS];
    await send(pool, 'g1', names('r', 990), first);
    // Sent twice: a decision counts once.
    await send(pool, 'g1', names('r', 500), first);
    await counted(pool, 'g1', 1000, first);
    const running = job();
    await running.run(first);
    await running.run(first + MINUTE_MS);
    expect(await windowOf(pool)).toMatchObject({
      verdict: 'unknown',
      verdict_reasons: ['coverage'],
      coverage_ratio: 0.99,
    });
    await send(pool, 'g1', names('r', 1000), second);
    await running.run(second + MINUTE_MS);
    expect(await windowOf(pool)).toMatchObject({ verdict: 'uncontended', coverage_ratio: 1, revision: 2 });
  });

  it('looks again at a window when the report itself comes late, and believes the latest report', async () => {
    const pool = 'late-report';
    await declareSlots(store, pool, 4);
    const at = FROM_MS + 10 * MINUTE_MS;
    await send(pool, 'g1', names('s', 100), at);
    const running = job();
    await running.run(at);
    await running.run(at + MINUTE_MS);
    expect(await windowOf(pool)).toMatchObject({
      verdict: 'uncontended',
      coverage_ratio: null,
      coverage_reason: 'not_reported',
    });
    await counted(pool, 'g1', 400, at + 2 * MINUTE_MS);
    await running.run(at + 3 * MINUTE_MS);
    expect(await windowOf(pool)).toMatchObject({ verdict: 'unknown', coverage_ratio: 0.25 });
    await counted(pool, 'g1', 100, at + 4 * MINUTE_MS);
    await running.run(at + 5 * MINUTE_MS);
    expect(await windowOf(pool)).toMatchObject({ verdict: 'uncontended', coverage_ratio: 1 });
  });
});
