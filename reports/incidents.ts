import type { TenantFigures, TenantHistoryWindow } from '../analytics/index.ts';
import { type CalendarMonth, localTime } from './calendar/month.ts';
import type { Incident } from './report-document.ts';
import { atWindow } from './tally.ts';

interface OpenIncident {
  readonly startMs: number;
  endMs: number;
  windows: number;
  fairShareCost: number;
  servedCost: number;
  maxLagCost: number;
  worstShare: { value: number; startMs: number } | null;
  worstP99: { value: number; startMs: number } | null;
  readonly causes: Map<string, number>;
}

/**
 * Finds the spans of consecutive windows in which the tenant was short. Windows come in time order; one that is missing,
 * or in which the tenant was not short, ends the span.
 */
export class IncidentTracker {
  readonly #month: CalendarMonth;
  readonly #windowMs: number;
  readonly #incidents: OpenIncident[] = [];

  constructor(month: CalendarMonth, windowMs: number) {
    this.#month = month;
    this.#windowMs = windowMs;
  }

  add(window: TenantHistoryWindow): void {
    const { startMs, tenant } = window;
    if (tenant?.verdict !== 'short') return;
    const last = this.#incidents.at(-1);
    const incident = last !== undefined && last.endMs === startMs ? last : this.#open(startMs);
    incident.endMs = startMs + this.#windowMs;
    extend(incident, tenant, startMs);
    for (const cause of causesOf(window)) incident.causes.set(cause, (incident.causes.get(cause) ?? 0) + 1);
  }

  #open(startMs: number): OpenIncident {
    const incident: OpenIncident = {
      startMs,
      endMs: startMs,
      windows: 0,
      fairShareCost: 0,
      servedCost: 0,
      maxLagCost: 0,
      worstShare: null,
      worstP99: null,
      causes: new Map(),
    };
    this.#incidents.push(incident);
    return incident;
  }

  /** The incidents so far, in time order. */
  incidents(): Incident[] {
    return this.#incidents.map((incident) => ({
      start: localTime(this.#month, incident.startMs),
      end: localTime(this.#month, incident.endMs),
      windows: incident.windows,
      fair_share_cost: incident.fairShareCost,
      served_cost: incident.servedCost,
      max_lag_cost: incident.maxLagCost,
      worst_normalized_share: atWindow(incident.worstShare),
      worst_p99_wait_ms: atWindow(incident.worstP99),
      causes: Object.fromEntries([...incident.causes].sort(([a], [b]) => (a < b ? -1 : 1))),
    }));
  }
}

/**
 * What a tenant that was short in a window lost to: `over_served` (other tenants, never named), `idle_slots`,
 * `carried_over`, `lost_capacity`. Empty where it was not short.
 */
export function causesOf(window: TenantHistoryWindow): string[] {
  if (window.tenant?.verdict !== 'short') return [];
  return [...(window.othersOverServed > 0 ? ['over_served'] : []), ...window.otherCauses];
}

function extend(incident: OpenIncident, tenant: TenantFigures, startMs: number): void {
  const { normalizedShare, waitP99Ms } = tenant;
  incident.windows++;
  incident.fairShareCost += tenant.fairShareCost ?? 0;
  incident.servedCost += tenant.servedCost ?? 0;
  incident.maxLagCost = Math.max(incident.maxLagCost, tenant.lagCost ?? 0);
  if (normalizedShare !== null && normalizedShare < (incident.worstShare?.value ?? Number.POSITIVE_INFINITY)) {
    incident.worstShare = { value: normalizedShare, startMs };
  }
  if (waitP99Ms !== null && waitP99Ms > (incident.worstP99?.value ?? -1)) {
    incident.worstP99 = { value: waitP99Ms, startMs };
  }
}
