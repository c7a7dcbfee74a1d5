import {
  type FairStepResult,
  fairStep,
  type IdealBacklog,
  jainIndex,
  minNormalizedShare,
} from '../../scheduler-core/index.ts';
import type { CapacityEntry } from '../queries/pool-state.ts';
import type { PoolArrivalsRow, TenantArrivalsRow } from '../queries/window-arrivals.ts';
import { type Capacity, decideCapacity } from './decide-capacity.ts';
import {
  type CapacityInWindow,
  capacityInWindow,
  changesInside,
  type Entitlements,
  groupsOf,
  type PoolOptions,
  type Standing,
  standingAt,
} from './pool-model.ts';
import type { TenantWorkInWindow, WindowWork } from './range-work.ts';
import type { Saturation } from './saturation-sweep.ts';

/** What one window hands to the next. */
export interface CarriedState {
  /** Number (start ÷ length) of the window that it comes from; null before the first. */
  readonly window: number | null;
  readonly idealBacklog: IdealBacklog;
  readonly workPerBusyMs: number | null;
  /** Served cost of the last windows in which a request was always waiting. */
  readonly saturated: readonly { readonly window: number; readonly servedCost: number }[];
}

export const INITIAL_STATE: CarriedState = {
  window: null,
  idealBacklog: new Map(),
  workPerBusyMs: null,
  saturated: [],
};

/** What the requests of a range come to. */
export interface WindowRowsOfRange {
  readonly work: readonly WindowWork[];
  readonly arrivals: readonly TenantArrivalsRow[];
  readonly pools: readonly PoolArrivalsRow[];
  /** By the number of a window. */
  readonly saturation: ReadonlyMap<number, Saturation>;
  /** Windows that are decided even if no row is left of them. */
  readonly passed: readonly number[];
  /** Ŝ per window, carried; only windows of the range. */
  readonly meanServiceMs: ReadonlyMap<number, number | null>;
}

export interface PoolFacts {
  readonly windowMs: number;
  readonly options: PoolOptions;
  readonly capacity: readonly CapacityEntry[];
  readonly entitlements: Entitlements;
}

/** A tenant in a window, before waits are judged. */
export interface DecidedTenant {
  readonly tenant: string;
  readonly standing: Standing;
  readonly work: TenantWorkInWindow | null;
  readonly arrivals: TenantArrivalsRow | null;
}

/** A window whose shares are decided; verdicts and in-share waits follow (see describe-windows.ts). */
export interface DecidedWindow {
  readonly window: number;
  readonly startMs: number;
  readonly tenants: readonly DecidedTenant[];
  readonly fairness: FairStepResult;
  readonly capacity: Capacity;
  readonly declared: CapacityInWindow;
  readonly servedCost: number;
  readonly busyMs: number;
  readonly largestCostInService: number;
  readonly waitingAtEnd: number;
  readonly openRequests: number;
  /** Requests of the window hold different numbers of slots. */
  readonly mixedSlots: boolean;
  readonly policyChanged: boolean;
  readonly jainIndex: number | null;
  readonly minNormalizedShare: { readonly value: number; readonly tenant: string } | null;
  readonly pool: PoolArrivalsRow | null;
  readonly saturation: Saturation | null;
  readonly meanServiceMs: number | null;
  readonly workPerBusyMs: number | null;
  readonly saturatedServedCost: number | null;
}

/** How many windows back an inferred capacity looks. */
export const INFERENCE_WINDOWS = 60;

/**
 * Fair shares of the windows of a range, in time order, carried from `state`. Windows without any row are left out: no
 * request was open, so nothing is carried through them.
 */
export function decideWindows(
  facts: PoolFacts,
  rows: WindowRowsOfRange,
  state: CarriedState,
): { windows: DecidedWindow[]; state: CarriedState } {
  const work = new Map(rows.work.map((row) => [row.window, row]));
  const arrivals = groupByWindow(rows.arrivals);
  const pools = new Map(rows.pools.map((row) => [row.window, row]));
  const numbers = [...new Set([...work.keys(), ...arrivals.keys(), ...rows.passed])].sort((a, b) => a - b);
  const windows: DecidedWindow[] = [];
  let carried = state;
  for (const window of numbers) {
    const decided = decideWindow(facts, carried, {
      window,
      work: work.get(window) ?? null,
      arrivals: arrivals.get(window) ?? [],
      pool: pools.get(window) ?? null,
      saturation: rows.saturation.get(window) ?? null,
      meanServiceMs: rows.meanServiceMs.get(window) ?? null,
    });
    windows.push(decided.window);
    carried = decided.state;
  }
  return { windows, state: carried };
}

interface RowsOfWindow {
  readonly window: number;
  readonly work: WindowWork | null;
  readonly arrivals: readonly TenantArrivalsRow[];
  readonly pool: PoolArrivalsRow | null;
  readonly saturation: Saturation | null;
  readonly meanServiceMs: number | null;
}

function decideWindow(
  facts: PoolFacts,
  carried: CarriedState,
  rows: RowsOfWindow,
): { window: DecidedWindow; state: CarriedState } {
  const startMs = rows.window * facts.windowMs;
  const endMs = startMs + facts.windowMs;
  const declared = capacityInWindow(facts.capacity, startMs, endMs);
  const { tenants, standingChanged } = joinTenants(facts, rows, startMs, endMs);
  const servedCost = servedCostOf(rows.work);
  const busyMs = rows.work?.busyMs ?? 0;
  const alwaysWaiting = rows.saturation !== null && rows.saturation.waitingMs >= facts.windowMs;
  const saturated = [
    ...carried.saturated.filter((entry) => entry.window > rows.window - INFERENCE_WINDOWS),
    ...(alwaysWaiting ? [{ window: rows.window, servedCost }] : []),
  ];
  const capacity = decideCapacity(
    declared,
    {
      servedCost,
      busyMs,
      earlierWorkPerBusyMs: carried.workPerBusyMs,
      saturatedServedCosts: saturated.map((entry) => entry.servedCost),
    },
    facts.windowMs,
  );
  const backlogBefore = carried.window === rows.window - 1 ? carried.idealBacklog : new Map<string, number>();
  const step = {
    capacity: capacity.cost,
    tenants: tenants.map(toTenantWork),
    groups: groupsOf(tenants.map((entry) => entry.standing)),
  };
  const { result, after } = fairStep(step, backlogBefore);
  const workPerBusyMs = busyMs > 0 ? servedCost / busyMs : carried.workPerBusyMs;
  return {
    window: {
      window: rows.window,
      startMs,
      tenants,
      fairness: result,
      capacity,
      declared,
      servedCost,
      busyMs,
      largestCostInService: rows.work?.largestCostInService ?? 0,
      waitingAtEnd: rows.work?.waitingAtEnd ?? 0,
      openRequests: rows.work?.openRequests ?? 0,
      mixedSlots: rows.work !== null && rows.work.smallestSlots !== rows.work.largestSlots,
      policyChanged: standingChanged || declared.changed,
      ...indexes(tenants, result),
      pool: rows.pool,
      saturation: rows.saturation,
      meanServiceMs: rows.meanServiceMs,
      workPerBusyMs,
      saturatedServedCost: alwaysWaiting ? servedCost : null,
    },
    state: { window: rows.window, idealBacklog: after, workPerBusyMs, saturated },
  };
}

function joinTenants(
  facts: PoolFacts,
  rows: RowsOfWindow,
  startMs: number,
  endMs: number,
): { tenants: DecidedTenant[]; standingChanged: boolean } {
  const work = new Map(rows.work?.tenants.map((row) => [row.tenant, row]));
  const arrivals = new Map(rows.arrivals.map((row) => [row.tenant, row]));
  const names = [...new Set([...work.keys(), ...arrivals.keys()])].sort((a, b) => (a < b ? -1 : 1));
  const window = { fromMs: startMs, toMs: endMs };
  let standingChanged = false;
  const tenants = names.map((tenant): DecidedTenant => {
    const arrived = arrivals.get(tenant) ?? null;
    const standing = standingAt(facts.entitlements, tenant, startMs, arrived?.firstWeight ?? null);
    standingChanged ||= changesInside(facts.entitlements, tenant, window, standing, arrived?.distinctWeights ?? 0);
    return { tenant, standing, work: work.get(tenant) ?? null, arrivals: arrived };
  });
  return { tenants, standingChanged };
}

function toTenantWork(entry: DecidedTenant) {
  return {
    tenant: entry.tenant,
    weight: entry.standing.weight,
    offeredAdmitted: entry.work?.offeredAdmitted ?? 0,
    offeredRefused: entry.work?.offeredRefused ?? 0,
    late: entry.work?.late ?? 0,
    lateAfter: entry.work?.lateAfter ?? 0,
  };
}

function indexes(tenants: readonly DecidedTenant[], result: FairStepResult) {
  const served = tenants.map((entry) => entry.work?.served ?? 0);
  const shares = result.tenants.map((entry) => entry.share ?? 0);
  const normalized = shares.flatMap((share, index) => (share > 0 ? [(served[index] ?? 0) / share] : []));
  const least = minNormalizedShare(served, shares);
  const tenant = least === null ? undefined : tenants[least.index]?.tenant;
  return {
    jainIndex: jainIndex(normalized),
    minNormalizedShare: least === null || tenant === undefined ? null : { value: least.value, tenant },
  };
}

function servedCostOf(work: WindowWork | null): number {
  let total = 0;
  for (const { served } of work?.tenants ?? []) total += served;
  return total;
}

function groupByWindow<Row extends { readonly window: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.window);
    if (group === undefined) groups.set(row.window, [row]);
    else group.push(row);
  }
  return groups;
}
