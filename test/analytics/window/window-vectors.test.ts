import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';

interface VectorEvent {
  readonly request_id: string;
  readonly tenant: string;
  readonly arrived_at: number;
  readonly dispatched_at?: number;
  readonly completed_at?: number;
  readonly outcome?: 'rejected';
  readonly reason?: 'queue_full' | 'quota';
  readonly cost?: number;
  readonly cost_estimate?: number;
}

interface VectorCase {
  readonly case: string;
  readonly slots: number;
  readonly events: readonly VectorEvent[];
  readonly expected: readonly {
    readonly start: string;
    readonly capacity_cost: number;
    readonly jain_index: number;
    readonly min_normalized_share: { readonly value: number; readonly tenant: string };
    readonly in_share: readonly string[];
    readonly in_share_p99_wait_ms: number | null;
    readonly tenants: Readonly<Record<string, Readonly<Record<string, number>>>>;
  }[];
}

const vectors: { readonly cases: readonly VectorCase[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/windows.json', import.meta.url), 'utf8'),
);

describe('the worked windows of the definitions, through the store', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  it.each(vectors.cases.map((vector, index) => ({ ...vector, pool: `case-${index}` })))('$case', async (vector) => {
    const { store } = opened;
    await declareSlots(store, vector.pool, vector.slots);
    await insertEvents(
      store,
      vector.events.map((one) =>
        event({
          pool: vector.pool,
          requestId: one.request_id,
          tenant: one.tenant,
          arrivedAtMs: one.arrived_at,
          dispatchedAtMs: one.dispatched_at ?? null,
          completedAtMs: one.completed_at ?? null,
          outcome: one.outcome ?? null,
          reason: one.reason ?? null,
          cost: one.cost ?? null,
          costEstimate: one.cost_estimate ?? null,
        }),
      ),
    );
    const fromMs = Date.parse(vector.expected[0]?.start ?? '');
    const range = { pool: vector.pool, windowMs: 60_000, fromMs, toMs: fromMs + vector.expected.length * 60_000 };
    await computeRange(store, {
      ...range,
      watermarkMs: range.toMs,
      closedToMs: Number.POSITIVE_INFINITY,
      options: DEFAULT_POOL_OPTIONS,
      computation: 1,
    });
    const windows = await readWindows(store, 'reads', range, true);
    expect(windows.map((window) => window.start)).toEqual(vector.expected.map((expected) => expected.start));
    for (const [index, expected] of vector.expected.entries()) {
      const window = windows[index];
      expect(window?.capacity.cost).toBeCloseTo(expected.capacity_cost, 9);
      expect(window?.jain_index).toBeCloseTo(expected.jain_index, 9);
      expect(window?.min_normalized_share?.tenant).toBe(expected.min_normalized_share.tenant);
      expect(window?.min_normalized_share?.value).toBeCloseTo(expected.min_normalized_share.value, 9);
      expect(window?.in_share.p99_wait_ms).toBe(expected.in_share_p99_wait_ms);
      const demanding = window?.tenants.filter((tenant) => tenant.in_share && (tenant.demand_cost ?? 0) > 0);
      expect(demanding?.map((tenant) => tenant.tenant)).toEqual(expected.in_share);
      for (const [name, figures] of Object.entries(expected.tenants)) {
        const tenant = window?.tenants.find((found) => found.tenant === name);
        const found: Readonly<Record<string, number | null | undefined>> = {
          demand_cost: tenant?.demand_cost,
          backlog_cost: tenant?.backlog_cost,
          fair_share_cost: tenant?.fair_share_cost,
          served_cost: tenant?.served_cost,
          ideal_backlog_after: tenant?.ideal_backlog_cost,
          lag_after: tenant?.lag_cost,
          quota_refused_cost: tenant?.quota_refused_cost,
        };
        for (const [figure, value] of Object.entries(figures)) {
          if (figure in found) expect(found[figure], `${name} ${figure}`).toBeCloseTo(value, 9);
        }
      }
    }
  });
});
