import { Gauge, type Registry } from 'prom-client';
import type { FairnessReader, PoolSummary } from './fairness-reader.ts';
import { REST_LABEL, tenantLabel } from './tenant-label.ts';
import type { PoolSeries, SeriesRest, SeriesTenant } from './window/series-result.ts';

/**
 * Gauges of the tenants that are shown by themselves and of all others together (`__other__`), newest window: at most K + 1
 * samples per metric and pool. Costs and counts of a pool's samples add up to its own figures exactly.
 */
export interface TenantMetrics {
  set(series: readonly PoolSeries[]): void;
}

type Figures = SeriesTenant | SeriesRest;

const FIGURES: readonly (readonly [name: string, help: string, figure: (figures: Figures) => number | null])[] = [
  ['normalized_share', 'Served ÷ ideal service.', (figures) => figures.normalized_share],
  ['demand_cost', 'Demand, in the pool’s cost unit.', (figures) => figures.demand_cost],
  ['ideal_cost', 'What a fair system would have served, in the pool’s cost unit.', (figures) => figures.ideal_cost],
  ['served_cost', 'Served work, in the pool’s cost unit.', (figures) => figures.served_cost],
  [
    'lag_cost',
    'Work that a fair system would have done by then; of the rest the most of one tenant.',
    (figures) => figures.lag_cost,
  ],
  ['requests', 'Requests that arrived.', (figures) => figures.requests],
  ['rejected', 'Attempts that were refused.', (figures) => figures.rejected],
  ['wait_p99_seconds', 'p99 queue wait.', ({ wait_p99_ms: waitMs }) => (waitMs === null ? null : waitMs / 1000)],
];

export function createTenantMetrics(registry: Registry): TenantMetrics {
  const registers = [registry];
  const gauges = FIGURES.map(([name, help, figure]) => {
    const gauge = new Gauge({
      name: `evenshare_tenant_${name}`,
      help: `${help} Newest window; top tenants, the others together as ${REST_LABEL}.`,
      labelNames: ['pool', 'tenant'],
      registers,
    });
    return { gauge, figure };
  });
  const ofPool = (name: string, help: string): Gauge =>
    new Gauge({ name: `evenshare_tenants_${name}`, help, labelNames: ['pool'], registers });
  const folded = ofPool('folded', 'Tenants of the newest window without samples of their own.');
  const rejected = ofPool('folded_rejected', 'Those of them that were refused something.');
  const start = ofPool(
    'window_start_seconds',
    'Start of the window that the samples of tenants are of, epoch seconds.',
  );

  return {
    set(series) {
      for (const one of [...gauges.map(({ gauge }) => gauge), folded, rejected, start]) one.reset();
      for (const { pool, windows } of series) {
        const newest = windows.at(-1);
        if (newest === undefined) continue;
        const show = (tenant: string, figures: Figures): void => {
          for (const { gauge, figure } of gauges) {
            const value = figure(figures);
            if (value !== null) gauge.set({ pool, tenant }, value);
          }
        };
        for (const tenant of newest.tenants) show(tenantLabel(tenant.tenant), tenant);
        if (newest.rest.tenants > 0) show(REST_LABEL, newest.rest);
        folded.set({ pool }, newest.rest.tenants);
        rejected.set({ pool }, newest.rest.rejected_tenants);
        start.set({ pool }, Date.parse(newest.start) / 1000);
      }
    },
  };
}

/** The lines of each pool's newest window; of the one before where those of the newest are not stored yet. */
export async function readNewestSeries(
  reader: Pick<FairnessReader, 'tenantSeries'>,
  pools: readonly PoolSummary[],
  windowMs: number,
): Promise<PoolSeries[]> {
  return Promise.all(
    pools.flatMap(({ pool, latest }) => {
      if (latest === null) return [];
      const startMs = Date.parse(latest.start);
      return [reader.tenantSeries({ pool, windowMs, fromMs: startMs - windowMs, toMs: startMs + 1 })];
    }),
  );
}
