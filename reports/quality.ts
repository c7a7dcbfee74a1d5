import type { TenantHistoryWindow } from '../analytics/index.ts';
import type { ReportQuality } from './report-document.ts';

/** Counts how much of a pool's month is known, and how well. */
export class QualityTally {
  #final = 0;
  #provisional = 0;
  #restated = 0;
  #unknown = 0;
  readonly #unknownReasons = new Map<string, number>();
  readonly #capacityBases = new Map<string, number>();
  #minCoverageRatio: number | null = null;
  #conflicts = 0;
  #policyChanged = 0;
  #firstMs: number | null = null;
  #lastMs: number | null = null;
  readonly #costUnits: string[] = [];

  add(window: TenantHistoryWindow): void {
    if (window.state === 'final') this.#final++;
    else this.#provisional++;
    if (window.revision > 1) this.#restated++;
    if (window.verdict === 'unknown') this.#unknown++;
    for (const reason of window.verdictReasons) increment(this.#unknownReasons, reason);
    increment(this.#capacityBases, window.capacityBasis);
    if (window.coverageRatio !== null) {
      this.#minCoverageRatio = Math.min(this.#minCoverageRatio ?? 1, window.coverageRatio);
    }
    this.#conflicts += window.conflicts;
    if (window.policyChanged) this.#policyChanged++;
    this.#firstMs ??= window.startMs;
    this.#lastMs = window.startMs;
    if (this.#costUnits.at(-1) !== window.costUnit) this.#costUnits.push(window.costUnit);
  }

  get newestCostUnit(): string {
    return this.#costUnits.at(-1) ?? '';
  }

  quality(hoursNotComputed: number): ReportQuality {
    return {
      windows_final: this.#final,
      windows_provisional: this.#provisional,
      windows_restated: this.#restated,
      windows_unknown: this.#unknown,
      unknown_reasons: sorted(this.#unknownReasons),
      capacity_bases: sorted(this.#capacityBases),
      min_coverage_ratio: this.#minCoverageRatio,
      ...(this.#minCoverageRatio === null ? { min_coverage_reason: 'not_reported' } : {}),
      conflicts: this.#conflicts,
      policy_changed_windows: this.#policyChanged,
      first_window: this.#firstMs === null ? null : new Date(this.#firstMs).toISOString(),
      last_window: this.#lastMs === null ? null : new Date(this.#lastMs).toISOString(),
      hours_not_computed: hoursNotComputed,
      cost_units: [...new Set(this.#costUnits)],
    };
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
