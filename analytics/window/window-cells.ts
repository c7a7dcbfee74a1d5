import { type Cell, tsvArray, tsvMap, tsvRow } from '../storage/index.ts';
import type { TenantWindow, Window } from './window-result.ts';

/** What a window's row holds beside what it shows: its place, its computation, and what the next windows need of it. */
export interface WindowRow {
  readonly pool: string;
  readonly windowMs: number;
  readonly startMs: number;
  readonly computation: number;
  readonly attempts: number;
  readonly meanServiceMs: number | null;
  readonly workPerBusyMs: number | null;
  readonly saturatedServedCost: number | null;
  readonly fluidWorkPerBusyMs: number | null;
  /** The backlogs after the window's last second, whether or not they are figures to be shown. */
  readonly fluidBacklogOf: (tenant: string) => { readonly cut: number; readonly due: number };
  /** Of tenants that have no row of their own. */
  readonly absentDueBacklogs: ReadonlyMap<string, number>;
  readonly watermarkMs: number;
  readonly digest: string;
  readonly window: Window;
}

type Column<Row> = readonly [name: string, cell: (row: Row) => Cell];

const WINDOW_COLUMNS: readonly Column<WindowRow>[] = [
  ['pool', (row) => row.pool],
  ['window_ms', (row) => row.windowMs],
  ['start_ms', (row) => row.startMs],
  ['computation', (row) => row.computation],
  ['revision', ({ window }) => window.revision],
  ['state', ({ window }) => window.state],
  ['verdict', ({ window }) => window.verdict],
  ['verdict_reasons', ({ window }) => tsvArray(window.verdict_reasons)],
  ['over_served_tenants', ({ window }) => tsvArray(window.causes.flatMap((cause) => cause.tenants))],
  [
    'other_causes',
    ({ window }) => tsvArray(window.causes.map((cause) => cause.cause).filter((cause) => cause !== 'over_served')),
  ],
  ['coverage_ratio', ({ window }) => window.coverage_ratio],
  ['cost_unit', ({ window }) => window.cost_unit],
  ['capacity_cost', ({ window }) => window.capacity.cost],
  ['capacity_basis', ({ window }) => window.capacity.basis],
  ['demand_cost', ({ window }) => window.demand_cost],
  ['served_cost', ({ window }) => window.served_cost],
  ['water_level', ({ window }) => window.water_level],
  ['tenants_with_demand', ({ window }) => window.tenants_with_demand],
  ['jain_index', ({ window }) => window.jain_index],
  ['min_normalized_share', ({ window }) => window.min_normalized_share?.value ?? null],
  ['min_normalized_share_tenant', ({ window }) => window.min_normalized_share?.tenant ?? null],
  ['requests', ({ window }) => window.requests],
  ['attempts', (row) => row.attempts],
  ['waiting_at_end', ({ window }) => window.waiting_at_end],
  ['utilization_ratio', ({ window }) => window.utilization_ratio],
  ['wait_p50_ms', ({ window }) => window.wait_ms.p50],
  ['wait_p95_ms', ({ window }) => window.wait_ms.p95],
  ['wait_p99_ms', ({ window }) => window.wait_ms.p99],
  ['wait_max_ms', ({ window }) => window.wait_ms.max],
  ['wait_samples', ({ window }) => window.wait_ms.samples],
  ['wait_provenance', ({ window }) => window.wait_ms.provenance],
  ['policy_changed', ({ window }) => window.policy_changed],
  ['conflicts', ({ window }) => window.conflicts],
  ['skewed', ({ window }) => window.skewed],
  ['lost', ({ window }) => window.lost],
  ['in_share_tenants', ({ window }) => window.in_share.tenants],
  ['in_share_requests', ({ window }) => window.in_share.requests],
  ['in_share_samples', ({ window }) => window.in_share.samples],
  ['in_share_over_threshold', ({ window }) => window.in_share.over_threshold],
  ['in_share_threshold_ms', ({ window }) => window.in_share.threshold_ms],
  ['in_share_p99_wait_ms', ({ window }) => window.in_share.p99_wait_ms],
  ['in_share_provisional', ({ window }) => window.in_share.provisional],
  ['idle_while_waiting_ratio', ({ window }) => window.idle_while_waiting_ratio],
  ['reasons', ({ window }) => tsvMap(reasonsOf(window))],
  ['mean_service_ms', (row) => row.meanServiceMs],
  ['work_per_busy_ms', (row) => row.workPerBusyMs],
  ['saturated_served_cost', (row) => row.saturatedServedCost],
  ['fluid_jain_index', ({ window }) => window.fluid?.jain_index ?? null],
  ['fluid_min_normalized_share', ({ window }) => window.fluid?.min_normalized_share?.value ?? null],
  ['fluid_min_normalized_share_tenant', ({ window }) => window.fluid?.min_normalized_share?.tenant ?? null],
  ['fluid_max_lag_cost', ({ window }) => window.fluid?.max_lag_cost ?? null],
  ['fluid_max_lag_tenant', ({ window }) => window.fluid?.max_lag_tenant ?? null],
  ['fluid_in_share_requests', ({ window }) => window.fluid?.in_share.requests ?? 0],
  ['fluid_in_share_samples', ({ window }) => window.fluid?.in_share.samples ?? 0],
  ['fluid_in_share_over_threshold', ({ window }) => window.fluid?.in_share.over_threshold ?? 0],
  ['fluid_in_share_p99_wait_ms', ({ window }) => window.fluid?.in_share.p99_wait_ms ?? null],
  ['fluid_work_per_busy_ms', (row) => row.fluidWorkPerBusyMs],
  ['absent_due_backlogs', (row) => tsvMap(Object.fromEntries(row.absentDueBacklogs))],
  ['watermark_ms', (row) => row.watermarkMs],
  ['digest', (row) => row.digest],
];

type Place = Pick<WindowRow, 'pool' | 'windowMs' | 'startMs' | 'computation'>;

interface TenantRow extends Pick<WindowRow, 'fluidBacklogOf'> {
  readonly tenant: TenantWindow;
}

/** The same for all tenants of a window. */
const PLACE_COLUMNS: readonly Column<Place>[] = [
  ['pool', (row) => row.pool],
  ['window_ms', (row) => row.windowMs],
  ['start_ms', (row) => row.startMs],
  ['computation', (row) => row.computation],
];

const FIGURE_COLUMNS: readonly Column<TenantRow>[] = [
  ['tenant', ({ tenant }) => tenant.tenant],
  ['group_name', ({ tenant }) => tenant.group],
  ['weight', ({ tenant }) => tenant.weight],
  ['verdict', ({ tenant }) => tenant.verdict],
  ['arrived_cost', ({ tenant }) => tenant.arrived_cost],
  ['arrived_cost_raw', ({ tenant }) => tenant.arrived_cost_raw],
  ['demand_cost', ({ tenant }) => tenant.demand_cost],
  ['backlog_cost', ({ tenant }) => tenant.backlog_cost],
  ['fair_share_cost', ({ tenant }) => tenant.fair_share_cost],
  ['served_cost', ({ tenant }) => tenant.served_cost],
  ['normalized_share', ({ tenant }) => tenant.normalized_share],
  ['in_share', ({ tenant }) => tenant.in_share],
  ['lag_cost', ({ tenant }) => tenant.lag_cost],
  ['ideal_backlog_cost', ({ tenant }) => tenant.ideal_backlog_cost],
  ['fluid_ideal_cost', ({ tenant }) => tenant.fluid?.ideal_cost ?? null],
  ['fluid_max_lag_cost', ({ tenant }) => tenant.fluid?.max_lag_cost ?? null],
  ['fluid_excess_wait_ms', ({ tenant }) => tenant.fluid?.excess_wait_ms ?? null],
  ['fluid_in_share_requests', ({ tenant }) => tenant.fluid?.in_share_requests ?? 0],
  ['fluid_ideal_backlog_cost', ({ tenant, fluidBacklogOf }) => fluidBacklogOf(tenant.tenant).cut],
  ['fluid_due_backlog_cost', ({ tenant, fluidBacklogOf }) => fluidBacklogOf(tenant.tenant).due],
  ['fluid_normalized_share', ({ tenant }) => tenant.fluid?.normalized_share ?? null],
  ['fluid_due_cost', ({ tenant }) => tenant.fluid?.due_cost ?? null],
  ['fluid_shortfall_cost', ({ tenant }) => tenant.fluid?.shortfall_cost ?? null],
  ['fluid_excess_cost', ({ tenant }) => tenant.fluid?.excess_cost ?? null],
  ['requests', ({ tenant }) => tenant.requests],
  ['retries', ({ tenant }) => tenant.retries],
  ['rejected', ({ tenant }) => tsvMap(tenant.rejected)],
  ['gave_up', ({ tenant }) => tenant.gave_up],
  ['lost', ({ tenant }) => tenant.lost],
  ['skewed', ({ tenant }) => tenant.skewed],
  ['quota_refused_cost', ({ tenant }) => tenant.quota_refused_cost],
  ['wait_p50_ms', ({ tenant }) => tenant.wait_ms.p50],
  ['wait_p95_ms', ({ tenant }) => tenant.wait_ms.p95],
  ['wait_p99_ms', ({ tenant }) => tenant.wait_ms.p99],
  ['wait_max_ms', ({ tenant }) => tenant.wait_ms.max],
  ['wait_samples', ({ tenant }) => tenant.wait_ms.samples],
  ['wait_provenance', ({ tenant }) => tenant.wait_ms.provenance],
];

export const WINDOW_COLUMN_NAMES = WINDOW_COLUMNS.map(([name]) => name);
export const TENANT_COLUMN_NAMES = [...PLACE_COLUMNS, ...FIGURE_COLUMNS].map(([name]) => name);

export function windowCells(row: WindowRow): Cell[] {
  return WINDOW_COLUMNS.map(([, cell]) => cell(row));
}

/** How every row of a window's tenants begins, as TabSeparated text. */
export function tenantPlace(row: Place): string {
  return tsvRow(PLACE_COLUMNS.map(([, cell]) => cell(row))).replace(/\n$/, '\t');
}

/** How the row of a tenant goes on: what the window says of it. Ended by a newline. */
export function tenantFigures(row: TenantRow): string {
  const cells: Cell[] = [];
  for (const [, cell] of FIGURE_COLUMNS) cells.push(cell(row));
  return tsvRow(cells);
}

/** The reasons of a window's null figures, by figure, as the column `reasons` holds them. */
function reasonsOf(window: Window): Record<string, string> {
  const reasons: Record<string, string | undefined> = {
    coverage_ratio: window.coverage_reason,
    capacity: window.capacity.reason,
    served_cost: window.served_cost_reason,
    water_level: window.water_level_reason,
    jain_index: window.jain_index_reason,
    min_normalized_share: window.min_normalized_share_reason,
    utilization_ratio: window.utilization_reason,
    wait_ms: window.wait_ms.reason,
    in_share_p99: window.in_share.p99_wait_reason,
    idle_while_waiting: window.idle_while_waiting_reason,
    fluid: window.fluid_reason,
    fluid_jain_index: window.fluid?.jain_index_reason,
    fluid_min_normalized_share: window.fluid?.min_normalized_share_reason,
    fluid_in_share_p99: window.fluid?.in_share.p99_wait_reason,
  };
  const known: Record<string, string> = {};
  for (const [figure, reason] of Object.entries(reasons)) if (reason !== undefined) known[figure] = reason;
  return known;
}
