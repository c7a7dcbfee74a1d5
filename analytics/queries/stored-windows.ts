import { defineQuery, type Parameters } from '../storage/index.ts';
import {
  CAPACITY_BASES,
  TENANT_VERDICTS,
  type TenantWindow,
  WINDOW_VERDICTS,
  type Window,
} from '../window/window-result.ts';

export type StoredRangeParams = Parameters & {
  readonly pool: string;
  readonly window_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
};

export interface StoredWindow {
  readonly startMs: number;
  readonly computation: number;
  readonly digest: string;
  readonly attempts: number;
  /** Without its tenants. */
  readonly window: Window;
}

const IN_RANGE = `pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}`;

/** The newest computation of each window of a range, in time order. */
export const STORED_WINDOWS = defineQuery<StoredRangeParams, StoredWindow>({
  name: 'stored-windows',
  sql: `SELECT * FROM windows FINAL
WHERE ${IN_RANGE}
ORDER BY start_ms`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    computation: Number(row.computation),
    digest: String(row.digest),
    attempts: Number(row.attempts),
    window: decodeWindow(row),
  }),
});

/** The tenants of those windows, by window and name. */
export const STORED_TENANT_WINDOWS = defineQuery<
  StoredRangeParams,
  { readonly startMs: number; readonly tenant: TenantWindow }
>({
  name: 'stored-tenant-windows',
  sql: `SELECT * FROM tenant_windows FINAL
WHERE ${IN_RANGE}
    AND (start_ms, computation) IN (SELECT start_ms, computation FROM windows FINAL WHERE ${IN_RANGE})
ORDER BY start_ms, tenant`,
  decode: (row) => ({ startMs: Number(row.start_ms), tenant: decodeTenant(row) }),
});

type Row = Readonly<Record<string, unknown>>;

function decodeWindow(row: Row): Window {
  const startMs = Number(row.start_ms);
  const reasons = textMap(row.reasons);
  const over = textArray(row.over_served_tenants);
  const capacityCost = figure(row.capacity_cost);
  const minimum = figure(row.min_normalized_share);
  return {
    start: new Date(startMs).toISOString(),
    end: new Date(startMs + Number(row.window_ms)).toISOString(),
    state: row.state === 'final' ? 'final' : 'provisional',
    revision: Number(row.revision),
    verdict: oneOf(WINDOW_VERDICTS, row.verdict, 'unknown'),
    verdict_reasons: textArray(row.verdict_reasons),
    causes: [
      ...(over.length === 0 ? [] : [{ cause: 'over_served', tenants: over }]),
      ...textArray(row.other_causes).map((cause) => ({ cause, tenants: [] })),
    ],
    coverage_ratio: figure(row.coverage_ratio),
    ...reason(reasons, 'coverage_ratio', 'coverage_reason'),
    cost_unit: String(row.cost_unit),
    capacity: {
      cost: capacityCost,
      basis: oneOf(CAPACITY_BASES, row.capacity_basis, 'unknown'),
      ...reason(reasons, 'capacity', 'reason'),
    },
    demand_cost: figure(row.demand_cost),
    served_cost: figure(row.served_cost),
    ...reason(reasons, 'served_cost', 'served_cost_reason'),
    water_level: figure(row.water_level),
    ...reason(reasons, 'water_level', 'water_level_reason'),
    tenants_with_demand: Number(row.tenants_with_demand),
    jain_index: figure(row.jain_index),
    ...reason(reasons, 'jain_index', 'jain_index_reason'),
    min_normalized_share: minimum === null ? null : { value: minimum, tenant: String(row.min_normalized_share_tenant) },
    ...reason(reasons, 'min_normalized_share', 'min_normalized_share_reason'),
    requests: Number(row.requests),
    waiting_at_end: Number(row.waiting_at_end),
    utilization_ratio: figure(row.utilization_ratio),
    ...reason(reasons, 'utilization_ratio', 'utilization_reason'),
    wait_ms: { ...decodeWaits(row), ...reason(reasons, 'wait_ms', 'reason') },
    policy_changed: Boolean(row.policy_changed),
    conflicts: Number(row.conflicts),
    skewed: Number(row.skewed),
    lost: Number(row.lost),
    in_share: {
      tenants: Number(row.in_share_tenants),
      requests: Number(row.in_share_requests),
      samples: Number(row.in_share_samples),
      over_threshold: Number(row.in_share_over_threshold),
      threshold_ms: Number(row.in_share_threshold_ms),
      p99_wait_ms: figure(row.in_share_p99_wait_ms),
      ...reason(reasons, 'in_share_p99', 'p99_wait_reason'),
      sufficient: Number(row.in_share_samples) >= 100,
      provisional: Boolean(row.in_share_provisional),
    },
    idle_while_waiting_ratio: figure(row.idle_while_waiting_ratio),
    ...reason(reasons, 'idle_while_waiting', 'idle_while_waiting_reason'),
    ...decodeFluid(row, reasons),
    tenants: [],
  };
}

/** Windows of before the fluid figures were computed have none, and no reason either. */
function decodeFluid(row: Row, reasons: ReadonlyMap<string, string>): Pick<Window, 'fluid' | 'fluid_reason'> {
  const maxLag = figure(row.fluid_max_lag_cost);
  if (maxLag === null) return { fluid: null, fluid_reason: reasons.get('fluid') ?? 'not_computed' };
  const minimum = figure(row.fluid_min_normalized_share);
  const samples = Number(row.fluid_in_share_samples);
  return {
    fluid: {
      jain_index: figure(row.fluid_jain_index),
      ...reason(reasons, 'fluid_jain_index', 'jain_index_reason'),
      min_normalized_share:
        minimum === null ? null : { value: minimum, tenant: String(row.fluid_min_normalized_share_tenant) },
      ...reason(reasons, 'fluid_min_normalized_share', 'min_normalized_share_reason'),
      max_lag_cost: maxLag,
      max_lag_tenant: row.fluid_max_lag_tenant === null ? null : String(row.fluid_max_lag_tenant),
      in_share: {
        requests: Number(row.fluid_in_share_requests),
        samples,
        over_threshold: Number(row.fluid_in_share_over_threshold),
        p99_wait_ms: figure(row.fluid_in_share_p99_wait_ms),
        ...reason(reasons, 'fluid_in_share_p99', 'p99_wait_reason'),
        sufficient: samples >= 100,
      },
    },
  };
}

function decodeFluidTenant(row: Row): TenantWindow['fluid'] {
  const ideal = figure(row.fluid_ideal_cost);
  if (ideal === null) return null;
  return {
    ideal_cost: ideal,
    normalized_share: figure(row.fluid_normalized_share),
    max_lag_cost: Number(row.fluid_max_lag_cost),
    excess_wait_ms: figure(row.fluid_excess_wait_ms),
    in_share_requests: Number(row.fluid_in_share_requests),
    ideal_backlog_cost: Number(row.fluid_ideal_backlog_cost),
    due_cost: Number(row.fluid_due_cost),
    shortfall_cost: Number(row.fluid_shortfall_cost),
    excess_cost: Number(row.fluid_excess_cost),
  };
}

function decodeTenant(row: Row): TenantWindow {
  const waits = decodeWaits(row);
  return {
    tenant: String(row.tenant),
    group: row.group_name === null || row.group_name === undefined ? null : String(row.group_name),
    weight: Number(row.weight),
    verdict: oneOf(TENANT_VERDICTS, row.verdict, 'unknown'),
    arrived_cost: figure(row.arrived_cost),
    arrived_cost_raw: figure(row.arrived_cost_raw),
    demand_cost: figure(row.demand_cost),
    backlog_cost: figure(row.backlog_cost),
    fair_share_cost: figure(row.fair_share_cost),
    served_cost: figure(row.served_cost),
    normalized_share: figure(row.normalized_share),
    in_share: row.in_share === null ? null : Boolean(row.in_share),
    lag_cost: figure(row.lag_cost),
    ideal_backlog_cost: figure(row.ideal_backlog_cost),
    requests: Number(row.requests),
    retries: Number(row.retries),
    rejected: Object.fromEntries([...textMap(row.rejected)].map(([key, count]) => [key, Number(count)])),
    gave_up: Number(row.gave_up),
    lost: Number(row.lost),
    skewed: Number(row.skewed),
    quota_refused_cost: Number(row.quota_refused_cost),
    wait_ms: {
      ...waits,
      ...(waits.samples > 0 ? {} : { reason: waits.provenance === 'absent' ? 'no_waits' : 'no_samples' }),
    },
    fluid: decodeFluidTenant(row),
  };
}

function decodeWaits(row: Row) {
  return {
    p50: figure(row.wait_p50_ms),
    p95: figure(row.wait_p95_ms),
    p99: figure(row.wait_p99_ms),
    max: figure(row.wait_max_ms),
    samples: Number(row.wait_samples),
    provenance: String(row.wait_provenance),
  };
}

function figure(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function reason<Name extends string>(
  reasons: ReadonlyMap<string, string>,
  of: string,
  name: Name,
): { [Key in Name]?: string } {
  const text = reasons.get(of);
  // A computed key widens to string; the return type restates which one it is.
  return text === undefined ? {} : ({ [name]: text } as { [Key in Name]?: string });
}

function oneOf<Value extends string>(values: readonly Value[], found: unknown, otherwise: Value): Value {
  return values.find((value) => value === found) ?? otherwise;
}

function textArray(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textMap(value: unknown): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
