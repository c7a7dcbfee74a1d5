import { assertInvariant } from '../kernel/index.ts';
import { type FairStep, fairService, type TenantFairness, type TenantWork } from '../share/index.ts';
import type { Span } from './rate-profile.ts';
import type { RequestFate } from './request-fate.ts';
import { availableSlotMs, type SlotChange } from './slot-schedule.ts';

export interface ShareOptions {
  readonly measured: Span;
  /** When the record ends: what is open then is cut off there. */
  readonly endMs: number;
  readonly slots: number;
  readonly slotChanges: readonly SlotChange[];
  readonly weightOf: (tenant: string) => number;
}

export interface TenantShare extends TenantFairness {
  readonly served: number;
}

export interface MeasuredShares {
  /** In code-unit order of the tenants. */
  readonly tenants: readonly TenantShare[];
  /** Null when nothing was in service up to the end of the measured span. */
  readonly capacity: number | null;
  readonly waterLevel: number | null;
}

/** Services shorter than a log can tell count as this long. */
const SHORTEST_SERVICE_MS = 1;
/** Cells of work (steps × tenants) that are held at once. */
const MAX_CELLS = 50_000_000;

/** Work of one tenant per step; `late` also at the end of the last one. */
interface TenantCells {
  readonly admitted: Float64Array;
  readonly refused: Float64Array;
  readonly served: Float64Array;
  readonly late: Float64Array;
}

/**
 * Shares in the measured span: the recursion of fair service over steps of its length, of which it is the last; the
 * first one holds the first arrival. Source: THEORY.md, "Work" and "Fair service".
 */
export function measureShares(fates: readonly RequestFate[], options: ShareOptions): MeasuredShares {
  const grid = new StepGrid(fates, options.measured);
  const cells = new Map<string, TenantCells>();
  const busy = new Float64Array(grid.steps);
  const isCounted = lastAttempts(fates, grid);
  const meanServiceMs = meanServices(fates, grid);
  const worker = new WorkSpreader(grid, busy);
  for (const [index, fate] of fates.entries()) {
    let cell = cells.get(fate.tenant);
    if (cell === undefined) {
      assertInvariant((cells.size + 1) * grid.steps <= MAX_CELLS, 'the measured span is too short for so long a run');
      cell = openCells(grid.steps);
      cells.set(fate.tenant, cell);
    }
    worker.spread(fate, cell, {
      serviceMs: serviceOf(fate, meanServiceMs(fate.arrivedAtMs), options.endMs),
      isCounted: isCounted(index),
    });
  }
  return decideShares(cells, busy, grid, options);
}

function decideShares(
  cells: ReadonlyMap<string, TenantCells>,
  busy: Float64Array,
  grid: StepGrid,
  options: ShareOptions,
): MeasuredShares {
  const names = [...cells.keys()].sort();
  let rate: number | null = null;
  const steps = Array.from({ length: grid.steps }, (_, step): FairStep => {
    const busyMs = busy[step] ?? 0;
    let servedCost = 0;
    const tenants: TenantWork[] = [];
    for (const tenant of names) {
      const cell = cells.get(tenant);
      if (cell === undefined) continue;
      servedCost += cell.served[step] ?? 0;
      tenants.push({
        tenant,
        weight: options.weightOf(tenant),
        offeredAdmitted: cell.admitted[step] ?? 0,
        offeredRefused: cell.refused[step] ?? 0,
        late: cell.late[step] ?? 0,
        lateAfter: cell.late[step + 1] ?? 0,
      });
    }
    if (busyMs > 0) rate = servedCost / busyMs;
    const available = availableSlotMs(options.slots, options.slotChanges, grid.spanOf(step));
    return { tenants, capacity: rate === null ? null : Math.max(available, busyMs) * rate };
  });
  const last = fairService(steps).steps.at(-1);
  return {
    tenants: (last?.tenants ?? []).map((fairness) => ({
      ...fairness,
      served: cells.get(fairness.tenant)?.served[grid.steps - 1] ?? 0,
    })),
    capacity: steps.at(-1)?.capacity ?? null,
    waterLevel: last?.waterLevel ?? null,
  };
}

function openCells(steps: number): TenantCells {
  return {
    admitted: new Float64Array(steps),
    refused: new Float64Array(steps),
    served: new Float64Array(steps),
    late: new Float64Array(steps + 1),
  };
}

/** Steps of the length of the measured span, which is the last of them. */
class StepGrid {
  readonly steps: number;
  readonly lengthMs: number;
  readonly #fromMs: number;

  constructor(fates: readonly RequestFate[], measured: Span) {
    let firstMs = measured.fromMs;
    for (const { arrivedAtMs } of fates) firstMs = Math.min(firstMs, arrivedAtMs);
    this.lengthMs = measured.toMs - measured.fromMs;
    assertInvariant(this.lengthMs > 0, 'the measured span must have a length');
    const earlier = Math.ceil((measured.fromMs - firstMs) / this.lengthMs);
    this.steps = earlier + 1;
    this.#fromMs = measured.fromMs;
  }

  /** Of which step a moment is; steps past the measured one do not count. */
  stepAt(atMs: number): number {
    return Math.floor((atMs - this.#fromMs) / this.lengthMs) + this.steps - 1;
  }

  startOf(step: number): number {
    return this.#fromMs + (step - this.steps + 1) * this.lengthMs;
  }

  spanOf(step: number): Span {
    return { fromMs: this.startOf(step), toMs: this.startOf(step + 1) };
  }
}

class WorkSpreader {
  readonly #grid: StepGrid;
  readonly #busy: Float64Array;

  constructor(grid: StepGrid, busy: Float64Array) {
    this.#grid = grid;
    this.#busy = busy;
  }

  spread(fate: RequestFate, cell: TenantCells, how: { readonly serviceMs: number; readonly isCounted: boolean }): void {
    const { kind, arrivedAtMs, dispatchedAtMs, cost, slots } = fate;
    if (kind === 'quota') return;
    const { serviceMs, isCounted } = how;
    const perMs = cost / serviceMs;
    if (dispatchedAtMs !== null) {
      this.#overlay(cell.served, dispatchedAtMs, serviceMs, perMs);
      this.#overlay(this.#busy, dispatchedAtMs, serviceMs, slots);
    }
    if (!isCounted) return;
    if (kind === 'refused' || kind === 'given_up') this.#overlay(cell.refused, arrivedAtMs, serviceMs, perMs);
    else {
      this.#overlay(cell.admitted, arrivedAtMs, serviceMs, perMs);
      if (dispatchedAtMs === null || dispatchedAtMs > arrivedAtMs) this.#addLate(cell.late, fate, serviceMs, perMs);
    }
  }

  /** Adds `perMs` for each ms of `[startMs, startMs + lengthMs)` to the step in which it lies. */
  #overlay(into: Float64Array, startMs: number, lengthMs: number, perMs: number): void {
    const grid = this.#grid;
    const endMs = startMs + lengthMs;
    let step = Math.max(0, grid.stepAt(startMs));
    for (; step < grid.steps && grid.startOf(step) < endMs; step++) {
      const insideMs = Math.min(endMs, grid.startOf(step + 1)) - Math.max(startMs, grid.startOf(step));
      if (insideMs > 0) into[step] = (into[step] ?? 0) + insideMs * perMs;
    }
  }

  /** What should have been done by each bound between steps, had nobody queued, less what was done. */
  #addLate(late: Float64Array, fate: RequestFate, serviceMs: number, perMs: number): void {
    const grid = this.#grid;
    const dispatchedAtMs = fate.dispatchedAtMs ?? Number.POSITIVE_INFINITY;
    for (let bound = Math.max(0, grid.stepAt(fate.arrivedAtMs) + 1); bound <= grid.steps; bound++) {
      const atMs = grid.startOf(bound);
      const idealMs = Math.min(serviceMs, Math.max(0, atMs - fate.arrivedAtMs));
      const realMs = Math.min(serviceMs, Math.max(0, atMs - dispatchedAtMs));
      if (realMs >= serviceMs) return;
      late[bound] = (late[bound] ?? 0) + Math.max(0, idealMs - realMs) * perMs;
    }
  }
}

/** S: measured where it was served to its end, Ŝ where it was not, at least as long as it has lasted. */
function serviceOf(fate: RequestFate, meanMs: number, endMs: number): number {
  const { dispatchedAtMs, endedAtMs } = fate;
  if (dispatchedAtMs === null) return meanMs;
  if (endedAtMs === null) return Math.max(meanMs, endMs - dispatchedAtMs);
  return Math.max(SHORTEST_SERVICE_MS, endedAtMs - dispatchedAtMs);
}

/** Ŝ: the mean service time of what was completed in the step of a moment, or in the nearest earlier one with any. */
function meanServices(fates: readonly RequestFate[], grid: StepGrid): (atMs: number) => number {
  const totals = new Float64Array(grid.steps);
  const counts = new Float64Array(grid.steps);
  for (const { kind, dispatchedAtMs, endedAtMs } of fates) {
    if (kind !== 'served' || dispatchedAtMs === null || endedAtMs === null) continue;
    const step = grid.stepAt(endedAtMs);
    if (step < 0 || step >= grid.steps) continue;
    totals[step] = (totals[step] ?? 0) + Math.max(SHORTEST_SERVICE_MS, endedAtMs - dispatchedAtMs);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  const means = new Float64Array(grid.steps);
  let mean = SHORTEST_SERVICE_MS;
  for (let step = 0; step < grid.steps; step++) {
    const count = counts[step] ?? 0;
    if (count > 0) mean = Math.max(SHORTEST_SERVICE_MS, (totals[step] ?? 0) / count);
    means[step] = mean;
  }
  return (atMs) => means[Math.min(grid.steps - 1, grid.stepAt(atMs))] ?? SHORTEST_SERVICE_MS;
}

/** Several attempts of one request in one step count once, by the last. */
function lastAttempts(fates: readonly RequestFate[], grid: StepGrid): (index: number) => boolean {
  const last = new Map<string, number>();
  const keyOf = ({ tenant, originalId, arrivedAtMs }: RequestFate): string =>
    JSON.stringify([grid.stepAt(arrivedAtMs), tenant, originalId]);
  for (const [index, fate] of fates.entries()) {
    if (fate.originalId === null) continue;
    const key = keyOf(fate);
    const known = fates[last.get(key) ?? -1];
    if (known === undefined || fate.arrivedAtMs >= known.arrivedAtMs) last.set(key, index);
  }
  if (last.size === 0) return () => true;
  return (index) => {
    const fate = fates[index];
    return fate === undefined || fate.originalId === null || last.get(keyOf(fate)) === index;
  };
}
