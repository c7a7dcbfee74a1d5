import type { TenantFigures, TenantHistoryWindow } from '../analytics/index.ts';
import { LOW_SHARE_RATIO, SUFFICIENT_SAMPLES, type Totals } from './report-document.ts';

interface Extreme {
  readonly value: number;
  readonly startMs: number;
}

/** Adds up a tenant's windows, in the order in which they come: in time order, so that sums of costs have the same bits everywhere. */
export class Tally {
  #poolWindows = 0;
  #windows = 0;
  #windowsWithDemand = 0;
  readonly #verdicts = { fair: 0, short: 0, capped: 0, over: 0, idle: 0, unknown: 0 };
  #windowsUnder90Percent = 0;
  #arrivedCost = 0;
  #demandCost = 0;
  readonly #fairShare = { windows: 0, cost: 0 };
  readonly #served = { windows: 0, cost: 0 };
  #quotaRefusedCost = 0;
  readonly #compared = { windows: 0, servedCost: 0, fairShareCost: 0 };
  #minShare: Extreme | null = null;
  #requests = 0;
  #retries = 0;
  readonly #rejected = new Map<string, number>();
  #gaveUp = 0;
  #lost = 0;
  #skewed = 0;
  #waitSamples = 0;
  #windowsWithSamples = 0;
  #windowsUnder100Samples = 0;
  #windowsP99OverThreshold = 0;
  #maxP99: Extreme | null = null;
  #maxWaitMs: number | null = null;

  add(window: TenantHistoryWindow): void {
    this.#poolWindows++;
    const { tenant } = window;
    if (tenant === null) return;
    this.#windows++;
    this.#verdicts[tenant.verdict]++;
    this.#addCosts(tenant, window.startMs);
    this.#addRequests(tenant);
    this.#addWaits(tenant, window);
  }

  #addCosts(tenant: TenantFigures, startMs: number): void {
    const { fairShareCost, servedCost, normalizedShare } = tenant;
    if ((tenant.demandCost ?? 0) > 0) this.#windowsWithDemand++;
    this.#arrivedCost += tenant.arrivedCost ?? 0;
    this.#demandCost += tenant.demandCost ?? 0;
    this.#quotaRefusedCost += tenant.quotaRefusedCost;
    if (fairShareCost !== null) {
      this.#fairShare.windows++;
      this.#fairShare.cost += fairShareCost;
    }
    if (servedCost !== null) {
      this.#served.windows++;
      this.#served.cost += servedCost;
    }
    if (fairShareCost !== null && servedCost !== null) {
      this.#compared.windows++;
      this.#compared.servedCost += servedCost;
      this.#compared.fairShareCost += fairShareCost;
    }
    if (normalizedShare === null) return;
    if (normalizedShare < LOW_SHARE_RATIO) this.#windowsUnder90Percent++;
    if (this.#minShare === null || normalizedShare < this.#minShare.value) {
      this.#minShare = { value: normalizedShare, startMs };
    }
  }

  #addRequests(tenant: TenantFigures): void {
    this.#requests += tenant.requests;
    this.#retries += tenant.retries;
    this.#gaveUp += tenant.gaveUp;
    this.#lost += tenant.lost;
    this.#skewed += tenant.skewed;
    for (const [reason, refused] of Object.entries(tenant.rejected)) {
      this.#rejected.set(reason, (this.#rejected.get(reason) ?? 0) + refused);
    }
  }

  #addWaits(tenant: TenantFigures, { startMs, thresholdMs }: TenantHistoryWindow): void {
    const { waitP99Ms, waitMaxMs, waitSamples } = tenant;
    this.#waitSamples += waitSamples;
    if (waitMaxMs !== null) this.#maxWaitMs = Math.max(this.#maxWaitMs ?? 0, waitMaxMs);
    if (waitP99Ms === null) return;
    this.#windowsWithSamples++;
    if (waitSamples < SUFFICIENT_SAMPLES) this.#windowsUnder100Samples++;
    if (waitP99Ms > thresholdMs) this.#windowsP99OverThreshold++;
    if (this.#maxP99 === null || waitP99Ms > this.#maxP99.value) this.#maxP99 = { value: waitP99Ms, startMs };
  }

  /** The sums so far. */
  totals(): Totals {
    const compared = this.#compared;
    const nothingKnown = this.#windows > 0 ? 'no_known_window' : null;
    const fairShare = this.#fairShare.windows === 0 && nothingKnown !== null ? null : this.#fairShare.cost;
    const served = this.#served.windows === 0 && nothingKnown !== null ? null : this.#served.cost;
    const shareReason = this.#verdicts.unknown > 0 ? 'no_known_window' : 'no_demand';
    const ratio = compared.fairShareCost > 0 ? compared.servedCost / compared.fairShareCost : null;
    const rejected = [...this.#rejected].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      pool_windows: this.#poolWindows,
      windows: this.#windows,
      windows_with_demand: this.#windowsWithDemand,
      verdicts: { ...this.#verdicts },
      windows_under_90_percent: this.#windowsUnder90Percent,
      arrived_cost: this.#arrivedCost,
      demand_cost: this.#demandCost,
      fair_share_cost: fairShare,
      ...(fairShare === null ? { fair_share_reason: 'no_known_window' } : {}),
      served_cost: served,
      ...(served === null ? { served_reason: 'no_known_window' } : {}),
      quota_refused_cost: this.#quotaRefusedCost,
      compared: {
        windows: compared.windows,
        served_cost: compared.servedCost,
        fair_share_cost: compared.fairShareCost,
      },
      served_to_fair_share_ratio: ratio,
      ...(ratio === null ? { served_to_fair_share_reason: shareReason } : {}),
      min_normalized_share: atWindow(this.#minShare),
      ...(this.#minShare === null ? { min_normalized_share_reason: shareReason } : {}),
      requests: this.#requests,
      retries: this.#retries,
      rejected: Object.fromEntries(rejected),
      rejected_attempts: rejected.reduce((total, [, refused]) => total + refused, 0),
      gave_up: this.#gaveUp,
      lost: this.#lost,
      skewed: this.#skewed,
      wait_samples: this.#waitSamples,
      windows_with_samples: this.#windowsWithSamples,
      windows_under_100_samples: this.#windowsUnder100Samples,
      windows_p99_over_threshold: this.#windowsP99OverThreshold,
      max_window_p99_wait_ms: atWindow(this.#maxP99),
      ...(this.#maxP99 === null ? { max_window_p99_wait_reason: 'no_samples' } : {}),
      max_wait_ms: this.#maxWaitMs,
      ...(this.#maxWaitMs === null ? { max_wait_reason: 'no_samples' } : {}),
    };
  }
}

/** A figure with the start of its window, as reports have it. */
export function atWindow(extreme: Extreme | null): { value: number; window: string } | null {
  return extreme === null ? null : { value: extreme.value, window: new Date(extreme.startMs).toISOString() };
}
