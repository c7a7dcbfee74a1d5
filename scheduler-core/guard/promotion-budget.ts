import { assertInvariant } from '../kernel/assert.ts';
import { HOUR_MS } from '../kernel/units.ts';

/** A product of ratio and count that rounds to just below a whole number is that number. */
const FLOOR_SLACK = 1e-9;

export interface PromotionBudgetOptions {
  /** Part of the requests in flight that may be promoted ones, in [0, 1]; 0: none, 1: no budget of this kind. */
  readonly inFlightRatio: number;
  /** Promotions of one tenant within any hour; ≥ 0, or Infinity. */
  readonly perTenantHourly: number;
}

export interface PromotionLoad {
  /** Requests in flight, the one in question not yet. */
  readonly inFlight: number;
  /** Those of them that were promoted. */
  readonly promotedInFlight: number;
  /** Requests dispatched since the beginning, promoted or not. */
  readonly dispatches: number;
}

/** One tenant's promotions: a ring of its latest times, at most as many as the hourly limit. */
interface Promotions {
  readonly atMs: number[];
  /** Where the oldest is, once the ring is full. */
  oldest: number;
  latestMs: number;
}

/**
 * How many requests may be moved ahead of their turn: at most `⌊inFlightRatio · (inFlight + 1)⌋` of those in flight, this
 * one included; where that is not even one, one at a time and one in `1/inFlightRatio` dispatches, so that the ratio
 * holds on a pool of few slots too. And per tenant at most `perTenantHourly` in any hour.
 *
 * O(1) amortised. Memory: the times of the last hour's promotions; a tenant without any is forgotten.
 */
export class PromotionBudget {
  readonly #inFlightRatio: number;
  readonly #perTenantHourly: number;
  /** In the order of the latest promotion. */
  readonly #byTenant = new Map<string, Promotions>();
  #dispatchesAtLatest = Number.NEGATIVE_INFINITY;

  constructor({ inFlightRatio, perTenantHourly }: PromotionBudgetOptions) {
    assertInvariant(inFlightRatio >= 0 && inFlightRatio <= 1, `a part must lie in [0, 1], got ${inFlightRatio}`);
    assertInvariant(perTenantHourly >= 0, `an hourly limit must be ≥ 0, got ${perTenantHourly}`);
    this.#inFlightRatio = inFlightRatio;
    this.#perTenantHourly = Math.floor(perTenantHourly);
  }

  /** Tenants whose promotions are remembered. */
  get tenants(): number {
    return this.#byTenant.size;
  }

  /** True: the request goes ahead and is charged to both budgets. False changes nothing. */
  tryPromote(tenant: string, load: PromotionLoad, nowMs: number): boolean {
    if (!this.mayPromote(load) || !this.#tryTenant(tenant, nowMs)) return false;
    this.#dispatchesAtLatest = load.dispatches;
    return true;
  }

  /** Whether the budget of the pool, without that of any tenant, has room: false spares a search for whom to promote. */
  mayPromote({ inFlight, promotedInFlight, dispatches }: PromotionLoad): boolean {
    const ratio = this.#inFlightRatio;
    if (ratio === 0 || this.#perTenantHourly === 0) return false;
    if (ratio === 1) return true;
    const mostInFlight = Math.floor(ratio * (inFlight + 1) + FLOOR_SLACK);
    if (mostInFlight >= 1) return promotedInFlight < mostInFlight;
    return promotedInFlight === 0 && (dispatches - this.#dispatchesAtLatest) * ratio >= 1 - FLOOR_SLACK;
  }

  #tryTenant(tenant: string, nowMs: number): boolean {
    if (this.#perTenantHourly === Number.POSITIVE_INFINITY) return true;
    const promotions = this.#byTenant.get(tenant) ?? { atMs: [], oldest: 0, latestMs: nowMs };
    if (promotions.atMs.length < this.#perTenantHourly) promotions.atMs.push(nowMs);
    else {
      const oldestMs = promotions.atMs[promotions.oldest] ?? Number.NEGATIVE_INFINITY;
      if (nowMs - oldestMs < HOUR_MS) return false;
      promotions.atMs[promotions.oldest] = nowMs;
      promotions.oldest = (promotions.oldest + 1) % this.#perTenantHourly;
    }
    promotions.latestMs = nowMs;
    // To the end of the map: its beginning then holds those who have had none for longest.
    this.#byTenant.delete(tenant);
    this.#byTenant.set(tenant, promotions);
    this.#forgetIdle(nowMs);
    return true;
  }

  #forgetIdle(nowMs: number): void {
    for (const [tenant, { latestMs }] of this.#byTenant) {
      if (nowMs - latestMs < HOUR_MS) return;
      this.#byTenant.delete(tenant);
    }
  }
}
