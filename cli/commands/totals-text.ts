import {
  type CostTotal,
  type Extreme,
  inShareWaitQuantiles,
  type PoolTotals,
  type RangeTotals,
  type TenantTotals,
  type WaitTotals,
  waitQuantiles,
} from '../../analytics/index.ts';
import { formatFigure, formatMs, formatTable, printable } from '../output.ts';

/** One period as JSON. Costs are the numbers nearest to exact sums; null where no window of the period knows one. */
export function totalsJson(totals: RangeTotals) {
  return {
    start: new Date(totals.fromMs).toISOString(),
    end: new Date(totals.toMs).toISOString(),
    state: totals.isFinal ? 'final' : 'provisional',
    pool: totals.pool.map(poolJson),
    tenants: totals.tenants.map(tenantJson),
  };
}

function poolJson(totals: PoolTotals) {
  const { inShare, fluidInShare } = totals;
  return {
    cost_unit: totals.costUnit,
    windows: totals.windows,
    windows_final: totals.windowsFinal,
    windows_restated: totals.windowsRestated,
    verdicts: totals.verdicts,
    verdict_reasons: totals.verdictReasons,
    causes: totals.causes,
    capacity_cost: costOf(totals.capacity),
    demand_cost: costOf(totals.demand),
    served_cost: costOf(totals.served),
    requests: totals.requests,
    conflicts: totals.conflicts,
    skewed: totals.skewed,
    lost: totals.lost,
    min_normalized_share: extremeOf(totals.minNormalizedShare),
    min_jain_index: extremeOf(totals.minJainIndex),
    fluid_min_normalized_share: extremeOf(totals.fluidMinNormalizedShare),
    in_share: { requests: inShare.requests, samples: inShare.samples, over_threshold: inShare.overThreshold },
    fluid_in_share: {
      requests: fluidInShare.requests,
      samples: fluidInShare.samples,
      over_threshold: fluidInShare.overThreshold,
    },
    ...waitsJson(totals),
  };
}

function tenantJson(totals: TenantTotals) {
  return {
    tenant: totals.tenant,
    cost_unit: totals.costUnit,
    windows: totals.windows,
    windows_final: totals.windowsFinal,
    windows_with_demand: totals.windowsWithDemand,
    verdicts: totals.verdicts,
    arrived_cost: costOf(totals.arrived),
    demand_cost: costOf(totals.demand),
    fair_share_cost: costOf(totals.fairShare),
    served_cost: costOf(totals.served),
    fluid_ideal_cost: costOf(totals.fluidIdeal),
    served_to_fair_share_ratio: ratioOf(totals),
    quota_refused_cost: totals.quotaRefused.cost,
    requests: totals.requests,
    retries: totals.retries,
    rejected: totals.rejected,
    gave_up: totals.gaveUp,
    lost: totals.lost,
    min_normalized_share: extremeOf(totals.minNormalizedShare),
    ...waitsJson(totals),
  };
}

const waitsJson = (of: { readonly waits: WaitTotals }) => ({
  wait_ms: { ...waitQuantiles(of), max: of.waits.maxMs?.value ?? null },
  in_share_wait_ms: inShareWaitQuantiles(of),
});

function costOf({ cost, windows }: CostTotal): number | null {
  return windows === 0 ? null : cost;
}

/** Over the windows in which both are known. */
function ratioOf({ comparedServed, comparedFairShare }: TenantTotals): number | null {
  return comparedFairShare.cost > 0 ? comparedServed.cost / comparedFairShare.cost : null;
}

function extremeOf(found: (Extreme & { readonly tenant?: string }) | null) {
  if (found === null) return null;
  const { value, startMs, tenant } = found;
  return { value, window: new Date(startMs).toISOString(), ...(tenant === undefined ? {} : { tenant }) };
}

/** Periods as a person reads them: one line per period and tenant. */
export function describeTotals(pool: string, periods: readonly RangeTotals[]): string {
  const rows = periods.flatMap((totals) => totals.tenants.map((tenant) => ({ totals, tenant })));
  if (rows.length === 0) return `pool ${printable(pool)}: no windows in this range\n`;
  const table = formatTable(rows, [
    { title: 'from', value: ({ totals }) => new Date(totals.fromMs).toISOString().replace('.000Z', 'Z') },
    { title: 'tenant', value: ({ tenant }) => tenant.tenant },
    { title: 'windows', value: ({ tenant }) => String(tenant.windows), align: 'right' },
    { title: 'short', value: ({ tenant }) => String(tenant.verdicts.short ?? 0), align: 'right' },
    { title: 'demand', value: ({ tenant }) => formatFigure(costOf(tenant.demand), 1), align: 'right' },
    { title: 'fair share', value: ({ tenant }) => formatFigure(costOf(tenant.fairShare), 1), align: 'right' },
    { title: 'served', value: ({ tenant }) => formatFigure(costOf(tenant.served), 1), align: 'right' },
    { title: 'served/share', value: ({ tenant }) => formatFigure(ratioOf(tenant)), align: 'right' },
    { title: 'wait p50', value: ({ tenant }) => formatMs(waitQuantiles(tenant).p50), align: 'right' },
    { title: 'p99', value: ({ tenant }) => formatMs(waitQuantiles(tenant).p99), align: 'right' },
    { title: 'unit', value: ({ tenant }) => tenant.costUnit },
    { title: 'state', value: ({ totals }) => (totals.isFinal ? 'final' : 'provisional') },
  ]);
  return `pool ${printable(pool)} (hours, days and months in UTC; waits within 1%)\n${table}`;
}
