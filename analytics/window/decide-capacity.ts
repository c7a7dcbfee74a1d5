import type { CapacityInWindow } from './pool-model.ts';
import type { CAPACITY_BASES } from './window-result.ts';

export type CapacityBasis = (typeof CAPACITY_BASES)[number];

export interface ServiceInWindow {
  /** Σ s over the tenants, in the pool's cost unit. */
  readonly servedCost: number;
  /** Slot-time in service, slot-ms. */
  readonly busyMs: number;
  /** Work per busy slot-ms of the nearest earlier window with service; null when there was none. */
  readonly earlierWorkPerBusyMs: number | null;
  /** Served costs of the last 60 windows in which a request was always waiting, this one included. */
  readonly saturatedServedCosts: readonly number[];
}

export interface Capacity {
  /** In the pool's cost unit for the whole window; null when it cannot be known. */
  readonly cost: number | null;
  readonly basis: CapacityBasis;
}

/** Times are whole milliseconds and service lasts at least one: a full pool may look busier than it is by that much. */
const OBSERVED_SLACK = 1e-3;

/** A window's capacity and how it is known (docs/definitions.md, "Shares", 2). */
export function decideCapacity(declared: CapacityInWindow, service: ServiceInWindow, windowMs: number): Capacity {
  if (declared.perS !== null) return { cost: (declared.perS * windowMs) / 1000, basis: 'configured' };
  if (declared.slots !== null) {
    const availableMs = declared.slots * windowMs;
    const workPerBusyMs = service.busyMs > 0 ? service.servedCost / service.busyMs : service.earlierWorkPerBusyMs;
    if (workPerBusyMs === null) return { cost: null, basis: 'unknown' };
    const observed = service.busyMs > availableMs * (1 + OBSERVED_SLACK);
    return { cost: Math.max(availableMs, service.busyMs) * workPerBusyMs, basis: observed ? 'observed' : 'measured' };
  }
  // Windows in which requests waited and nothing was served say nothing of what the pool could do.
  const most = Math.max(0, ...service.saturatedServedCosts);
  return most > 0 ? { cost: most, basis: 'inferred' } : { cost: null, basis: 'unknown' };
}
