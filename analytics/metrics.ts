import { Gauge, type Registry } from 'prom-client';
import type { FairnessReader } from './fairness-reader.ts';
import { createTenantMetrics, readNewestSeries } from './tenant-metrics.ts';
import { WINDOW_VERDICTS } from './window/window-result.ts';

/**
 * Gauges of the newest window per pool. A figure that is unknown has no sample: a 0 would be a lie, and Prometheus shows
 * a gap. Those of tenants are capped (see tenant-metrics.ts).
 */
export interface PoolMetrics {
  /** Reads what the pools' newest windows say; every sample of before is gone. */
  refresh(reader: Pick<FairnessReader, 'pools' | 'tenantSeries'>): Promise<void>;
}

/** Pools that get series of their own, in the order of their names; more are counted, not shown. */
const MAX_POOLS = 200;

/** @param windowMs length of the windows that are shown. */
export function createPoolMetrics(registry: Registry, windowMs: number): PoolMetrics {
  const gauge = (name: string, help: string, labels: readonly string[] = []): Gauge =>
    new Gauge({ name: `evenshare_pool_${name}`, help, labelNames: ['pool', ...labels], registers: [registry] });
  const jain = gauge('jain_index', 'Jain index of the newest window.');
  const minimum = gauge('min_normalized_share', 'Minimum normalized share of the newest window.');
  const p99 = gauge('in_share_p99_wait_seconds', 'p99 queue wait of tenants within their share, newest window.');
  const samples = gauge('in_share_samples', 'Requests behind that p99.');
  const demand = gauge('demand_cost', 'Demand of the newest window, in the pool’s cost unit.');
  const served = gauge('served_cost', 'Served work of the newest window, in the pool’s cost unit.');
  const requests = gauge('requests', 'Requests that arrived in the newest window.');
  const waiting = gauge('waiting', 'Requests waiting at the end of the newest window.');
  const utilization = gauge('utilization_ratio', 'Slot-time in service of the slot-time available, newest window.');
  const verdict = gauge('verdict', 'Verdict of the newest window: 1 for the one that holds.', ['verdict']);
  const start = gauge('window_start_seconds', 'Start of the newest window, epoch seconds.');
  const hidden = new Gauge({
    name: 'evenshare_pools_without_series',
    help: 'Pools beyond those that have series of their own.',
    registers: [registry],
  });
  const all = [jain, minimum, p99, samples, demand, served, requests, waiting, utilization, verdict, start];

  const tenants = createTenantMetrics(registry);

  return {
    async refresh(reader) {
      const pools = await reader.pools();
      const series = await readNewestSeries(reader, pools.slice(0, MAX_POOLS), windowMs);
      tenants.set(series);
      for (const one of all) one.reset();
      hidden.set(Math.max(0, pools.length - MAX_POOLS));
      for (const { pool, latest } of pools.slice(0, MAX_POOLS)) {
        if (latest === null) continue;
        const show = (one: Gauge, value: number | null): void => {
          if (value !== null) one.set({ pool }, value);
        };
        show(jain, latest.jain_index);
        show(minimum, latest.min_normalized_share?.value ?? null);
        show(p99, latest.in_share.p99_wait_ms === null ? null : latest.in_share.p99_wait_ms / 1000);
        show(samples, latest.in_share.samples);
        show(demand, latest.demand_cost);
        show(served, latest.served_cost);
        show(requests, latest.requests);
        show(waiting, latest.waiting_at_end);
        show(utilization, latest.utilization_ratio);
        show(start, Date.parse(latest.start) / 1000);
        for (const name of WINDOW_VERDICTS) verdict.set({ pool, verdict: name }, name === latest.verdict ? 1 : 0);
      }
    },
  };
}
