import type { PolicyResult, PublishedFigure, SimulationResult, TenantResult } from '../../scheduler-core/index.ts';
import { formatFigure, formatMs, formatTable, printable } from '../output.ts';

/** Beyond so many tenants only those that show the most are listed. */
const MOST_TENANTS = 8;

/** In 1973: no simulation lasts so long, and no log is so old. */
const EARLIEST_DATE_MS = 1e11;

/** A result as a person reads it: the policies side by side, then the tenants. */
export function describeSimulation(result: SimulationResult): string {
  const { measured, policies } = result;
  const head =
    `${printable(result.scenario)}, seed ${result.seed}: ${result.requests} requests, ${formatFigure(result.slots)} slots; ` +
    `shares in ${result.cost_unit} from ${describeMoment(measured.from_ms)} to ${describeMoment(measured.to_ms)}\n`;
  return `${head}\n${describePolicies(policies)}\n${describeTenants(policies)}`;
}

/** Times of a simulation count from 0; those of a record are dates. */
function describeMoment(atMs: number): string {
  return atMs < EARLIEST_DATE_MS ? formatMs(atMs) : new Date(atMs).toISOString();
}

export function describePolicies(policies: readonly PolicyResult[]): string {
  return formatTable(policies, [
    { title: 'policy', value: (row) => row.policy },
    { title: 'Jain', value: (row) => formatFigure(row.jain_index), align: 'right' },
    { title: 'min share', value: describeLeast },
    { title: 'in-share p99', value: (row) => formatMs(row.in_share_p99_wait_ms), align: 'right' },
    { title: 'per s', value: (row) => formatFigure(row.throughput_rps, 1), align: 'right' },
    { title: 'mean sojourn', value: (row) => formatMs(row.mean_sojourn_ms), align: 'right' },
    { title: 'utilization', value: (row) => formatFigure(row.utilization_ratio), align: 'right' },
    { title: 'idle while waiting', value: (row) => formatFigure(row.idle_while_waiting_ratio), align: 'right' },
    { title: 'rejected', value: (row) => describeCounts(row.rejected) },
    { title: 'promoted', value: (row) => String(row.promotions), align: 'right' },
  ]);
}

function describeLeast({ min_normalized_share: least }: PolicyResult): string {
  return least === null ? '–' : `${formatFigure(least.value)} ${least.tenant}`;
}

function describeCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

/** Per tenant and policy: share of its due, rate, and how long it waits. */
function describeTenants(policies: readonly PolicyResult[]): string {
  const names = notableTenants(policies);
  const all = new Set(policies.flatMap(({ tenants }) => tenants.map(({ tenant }) => tenant))).size;
  const rows = names.flatMap((name) => policies.map((policy) => ({ name, policy, tenant: tenantOf(policy, name) })));
  const table = formatTable(rows, [
    { title: 'tenant', value: ({ name, policy }) => (policy === policies[0] ? name : '') },
    { title: 'policy', value: ({ policy }) => policy.policy },
    { title: 'share', value: ({ tenant }) => formatFigure(tenant?.normalized_share ?? null), align: 'right' },
    { title: 'per s', value: ({ tenant }) => formatFigure(tenant?.rate_rps ?? null, 1), align: 'right' },
    { title: 'wait p50', value: ({ tenant }) => formatMs(tenant?.wait_ms.p50 ?? null), align: 'right' },
    { title: 'p99', value: ({ tenant }) => formatMs(tenant?.wait_ms.p99 ?? null), align: 'right' },
    { title: 'max', value: ({ tenant }) => formatMs(tenant?.wait_ms.max ?? null), align: 'right' },
    { title: 'rejected', value: ({ tenant }) => describeCounts(tenant?.rejected ?? {}) },
  ]);
  const more = all > names.length ? `and ${all - names.length} tenants more; --json has them all\n` : '';
  return `${table}${more}`;
}

function tenantOf(policy: PolicyResult, name: string): TenantResult | null {
  return policy.tenants.find(({ tenant }) => tenant === name) ?? null;
}

/** The tenants that ask for the most, and those that any policy leaves worst off. */
function notableTenants(policies: readonly PolicyResult[]): string[] {
  const first = policies[0]?.tenants ?? [];
  if (first.length <= MOST_TENANTS) return first.map(({ tenant }) => tenant);
  const worst = policies.flatMap(({ min_normalized_share: least }) => (least === null ? [] : [least.tenant]));
  const loud = [...first].sort((left, right) => right.demand_cost - left.demand_cost).map(({ tenant }) => tenant);
  return [...new Set([...loud.slice(0, 1), ...worst, ...loud])].slice(0, MOST_TENANTS);
}

/** What was published of a figure, in the digits of the figures beside it. */
export function describePublished(published: PublishedFigure | undefined): string {
  if (published === undefined) return '–';
  if (typeof published === 'number') return formatFigure(published);
  return `${formatFigure(published.low)}–${formatFigure(published.high)}`;
}
