import { createHash } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDEAL_BACKLOG } from '../../../analytics/queries/pool-state.ts';
import { STORED_WINDOWS, type StoredWindow } from '../../../analytics/queries/stored-windows.ts';
import { tsvRow } from '../../../analytics/storage/index.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { writeTenantRows } from '../../../analytics/window/tenant-rows.ts';
import { type Window, WindowSchema } from '../../../analytics/window/window-result.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { seededRandom } from '../../../scheduler-core/index.ts';
import { randomLog } from '../../support/random-log.ts';
import { insertEvents, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const SEEDS = [...Array.from({ length: 14 }, (_, index) => 500 + index), 526, 549, 559];

/** Every figure of a window that may be null, and where its reason stands. */
const REASONS: readonly (readonly [figure: string, reason: string])[] = [
  ['coverage_ratio', 'coverage_reason'],
  ['capacity.cost', 'capacity.reason'],
  ['served_cost', 'served_cost_reason'],
  ['water_level', 'water_level_reason'],
  ['jain_index', 'jain_index_reason'],
  ['min_normalized_share', 'min_normalized_share_reason'],
  ['utilization_ratio', 'utilization_reason'],
  ['wait_ms.p50', 'wait_ms.reason'],
  ['wait_ms.p95', 'wait_ms.reason'],
  ['wait_ms.p99', 'wait_ms.reason'],
  ['wait_ms.max', 'wait_ms.reason'],
  ['in_share.p99_wait_ms', 'in_share.p99_wait_reason'],
  ['idle_while_waiting_ratio', 'idle_while_waiting_reason'],
  ['fluid', 'fluid_reason'],
  ['fluid.jain_index', 'fluid.jain_index_reason'],
  ['fluid.min_normalized_share', 'fluid.min_normalized_share_reason'],
  ['fluid.in_share.p99_wait_ms', 'fluid.in_share.p99_wait_reason'],
];
/** Figures of a tenant that hang on what the whole window lacks, whose reason then stands there. */
const SHARE_FIGURES = [
  'backlog_cost',
  'fair_share_cost',
  'served_cost',
  'normalized_share',
  'in_share',
  'lag_cost',
  'fluid',
];

/** Every value of a structure by its path; arrays are left out. */
function leaves(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  if (Array.isArray(value)) return new Map();
  const below = Object.entries(value).map(([key, each]) => leaves(each, path === '' ? key : `${path}.${key}`));
  return new Map(below.flatMap((each) => [...each]));
}

/** A log that may lack its tenants or waits, in part or whole. */
function withGaps(events: readonly DecisionEvent[], seed: number): DecisionEvent[] {
  const random = seededRandom(seed);
  const [tenants, waits] = [random.next() < 0.15 ? 1 : 0, random.next() < 0.2 ? random.next() : 0];
  return events.map((each) => ({
    ...each,
    tenantProvenance: random.next() < tenants ? ('absent' as const) : each.tenantProvenance,
    waitProvenance: random.next() < waits ? ('absent' as const) : each.waitProvenance,
  }));
}

describe('windows of random logs, as they are stored and read', () => {
  let opened: TemporaryStore;
  const windows: {
    readonly name: string;
    readonly pool: string;
    readonly windowMs: number;
    readonly window: Window;
    readonly stored: StoredWindow;
  }[] = [];
  beforeAll(async () => {
    opened = await temporaryStore();
    for (const seed of SEEDS) windows.push(...(await windowsOf(seed)));
  });
  afterAll(() => opened.remove());

  async function windowsOf(seed: number) {
    const { events, options } = randomLog(seed);
    const pool = `seed ${seed}`;
    if (options.slots !== null || options.capacityPerS !== null) {
      const columns = ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'];
      const row = tsvRow([pool, 0, 'test', options.slots, options.capacityPerS, 0]);
      await opened.store.insert('intake', 'pool_capacity', columns, row);
    }
    await insertEvents(
      opened.store,
      withGaps(events, seed).map((each) => ({ ...each, pool })),
    );
    const range = { pool, windowMs: options.windowMs, fromMs: options.fromMs, toMs: options.toMs };
    await computeRange(opened.store, {
      ...range,
      watermarkMs: options.watermarkMs,
      closedToMs: Number.POSITIVE_INFINITY,
      options: { ...DEFAULT_POOL_OPTIONS, costUnit: options.costUnit, maxRequestAgeMs: options.maxRequestAgeMs },
      computation: seed,
    });
    const params = { pool, window_ms: range.windowMs, from_ms: range.fromMs, to_ms: range.toMs };
    const stored = await opened.store.query('reads', STORED_WINDOWS, params);
    const read = await readWindows(opened.store, 'reads', range, true);
    expect(read.length).toBe(stored.length);
    return stored.flatMap((each, index) => {
      const window = read[index];
      return window === undefined
        ? []
        : [{ name: `${pool}, ${window.start}`, pool, windowMs: options.windowMs, window, stored: each }];
    });
  }

  /** Says of which window something is wrong. */
  function expectEach(what: (window: Window) => unknown, expected: (window: Window) => unknown): void {
    for (const { name, window } of windows) expect(what(window), name).toEqual(expected(window));
  }

  it('have the shape that others rely on', () => {
    expect(windows.length).toBeGreaterThan(40);
    expectEach(
      (window) => [...Value.Errors(WindowSchema, window)],
      () => [],
    );
  });

  it('come back from the store to the last byte', async () => {
    for (const { name, pool, windowMs, window, stored } of windows) {
      const { startMs, computation } = stored;
      const place = { pool, windowMs, startMs, computation };
      const backlogs = await opened.store.query('reads', IDEAL_BACKLOG, {
        pool,
        window_ms: windowMs,
        from_ms: startMs,
        computation,
      });
      const handedOn = new Map(
        backlogs.map((row) => [row.tenant, { cut: row.fluidBacklog, due: row.dueBacklog }] as const),
      );
      const fluidBacklogOf = (tenant: string) => handedOn.get(tenant) ?? { cut: 0, due: 0 };
      const tenants = writeTenantRows({ ...place, fluidBacklogOf }, window.tenants);
      const digest = createHash('sha256')
        .update(JSON.stringify({ ...window, revision: 1, tenants: tenants.digest }))
        .digest('hex');
      expect(digest, name).toBe(stored.digest.split('-')[0]);
    }
  });

  it('say of every figure that is null why, and of no other', () => {
    for (const { name, window } of windows) {
      const values = leaves(window);
      for (const [figure, reason] of REASONS) {
        const isNull =
          figure === 'min_normalized_share' ? window.min_normalized_share === null : values.get(figure) === null;
        expect(values.has(reason), `${name}: ${figure} is ${isNull ? '' : 'not '}null`).toBe(isNull);
        if (isNull) expect(values.get(reason), `${name}: ${reason}`).toMatch(/^[a-z_]+$/);
      }
      const explained = new Set(REASONS.map(([figure]) => figure));
      const others = [...values].filter(([path, value]) => value === null && !explained.has(path));
      // Nobody lagged.
      const isNobody = ([path]: readonly [string, unknown]): boolean =>
        path === 'fluid.max_lag_tenant' && window.fluid?.max_lag_cost === 0;
      expect(
        others.filter((each) => !isNobody(each)),
        `${name}: null for no reason`,
      ).toEqual([]);
    }
  });

  it('lack a figure of a tenant only where the window says what is missing, or where nothing was due', () => {
    for (const { name, window } of windows) {
      const lacks = window.verdict_reasons.some((reason) => reason !== 'conflicts');
      for (const tenant of window.tenants) {
        const who = `${name}, ${tenant.tenant}`;
        for (const [path, value] of leaves(tenant)) {
          if (value !== null || path === 'group') continue;
          if (path.startsWith('wait_ms.'))
            expect(tenant.wait_ms.reason, `${who} ${path}`).toMatch(/^no_(samples|waits)$/);
          else if (path === 'normalized_share' && tenant.fair_share_cost === 0) continue;
          else if (/^fluid\.(normalized_share|excess_wait_ms)$/.test(path) && tenant.fluid?.ideal_cost === 0) continue;
          else expect([SHARE_FIGURES.includes(path), lacks], `${who} ${path}`).toEqual([true, true]);
        }
        if (tenant.wait_ms.p50 !== null) expect(tenant.wait_ms.reason, who).toBeUndefined();
      }
    }
  });

  it('judge consistently', () => {
    expectEach(
      (window) => window.verdict === 'unknown',
      (window) => window.verdict_reasons.length > 0,
    );
    expectEach(
      (window) => window.verdict === 'unfair',
      (window) => window.tenants.some((tenant) => tenant.verdict === 'short'),
    );
    expectEach(
      (window) => window.causes.length > 0,
      (window) => window.verdict === 'unfair',
    );
    expectEach(
      (window) => window.tenants.every((tenant) => tenant.verdict === 'unknown'),
      (window) => window.verdict === 'unknown',
    );
    const verdicts = new Set(windows.map(({ window }) => window.verdict));
    expect([...verdicts].sort(), 'the logs hold every kind').toEqual(
      ['fair', 'unfair', 'uncontended', 'unknown'].sort(),
    );
  });

  it('add up: tenants to the window, shares to no more than the capacity', () => {
    const sum = (window: Window, of: (tenant: Window['tenants'][number]) => number | null): number =>
      window.tenants.reduce((total, tenant) => total + (of(tenant) ?? 0), 0);
    for (const { name, window } of windows) {
      expect(window.requests, name).toBe(sum(window, (tenant) => tenant.requests));
      expect(window.skewed, name).toBe(sum(window, (tenant) => tenant.skewed));
      expect(window.lost, name).toBe(sum(window, (tenant) => tenant.lost));
      expect(window.demand_cost, name).toBeCloseTo(
        sum(window, (tenant) => tenant.demand_cost),
        6,
      );
      if (window.served_cost !== null)
        expect(window.served_cost, name).toBeCloseTo(
          sum(window, (t) => t.served_cost),
          6,
        );
      if (window.capacity.cost !== null) {
        expect(
          sum(window, (tenant) => tenant.fair_share_cost),
          name,
        ).toBeLessThanOrEqual(window.capacity.cost);
      }
      expect(window.wait_ms.samples, name).toBe(sum(window, (tenant) => tenant.wait_ms.samples));
      expect(window.in_share.samples, name).toBeLessThanOrEqual(window.wait_ms.samples);
      expect(window.in_share.sufficient, name).toBe(window.in_share.samples >= 100);
      // More than its configured rate may have been served; more than its slots cannot be busy.
      const utilization = window.capacity.basis === 'configured' ? null : window.utilization_ratio;
      for (const ratio of [window.jain_index, utilization, window.idle_while_waiting_ratio]) {
        if (ratio === null) continue;
        expect(ratio, name).toBeGreaterThanOrEqual(0);
        expect(ratio, name).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
  });
});
