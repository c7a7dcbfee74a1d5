/** What decides whether a tenant is shown by itself: its figures in one window. */
export interface TenantStanding {
  readonly tenant: string;
  /** Its demand, else what arrived; in the pool's cost unit. */
  readonly demandCost: number;
  /** Served ÷ ideal service, by the fluid model where it is known; null where nobody knows it. */
  readonly normalizedShare: number | null;
  readonly idealCost: number | null;
  /** Its verdict is `short`: its lag is more than one scheduling decision cannot avoid. */
  readonly isShort: boolean;
  /** Requests and their retries. */
  readonly attempts: number;
  readonly rejected: number;
  /** Null where shares are unknown. */
  readonly inShare: boolean | null;
  readonly waitP99Ms: number | null;
  readonly waitSamples: number;
}

/** By what a tenant earns a place. The hurt come before the loud. */
export const RANKINGS = ['rejected', 'low_share', 'slow', 'demand'] as const;
export type RankingName = (typeof RANKINGS)[number];

export interface Ranking {
  /** Whether a tenant that is not shown may enter by it, and one that is shown may stay by it. */
  readonly admits: (tenant: TenantStanding, isShown: boolean) => boolean;
  /** Higher is more deserving; of a tenant that is shown it is raised, so that another must be clearly ahead of it. */
  readonly score: (tenant: TenantStanding, isShown: boolean) => number;
  /** Between equal scores the higher; then the name decides. */
  readonly tie: (tenant: TenantStanding) => number;
}

/** With fewer attempts a ratio of refusals says little: they come after those that have as many. */
const ENOUGH_ATTEMPTS = 10;
/** How much more a newcomer must ask for than a tenant that is shown. */
const DEMAND_MARGIN = 1.25;
/** A p99 of few samples jumps. */
const WAIT_MARGIN = 2;
const RATIO_MARGIN = 0.05;

const REJECTED_ENTER_RATIO = 0.01;
const LOW_SHARE_ENTER = 0.99;
const LOW_SHARE_LEAVE = 1;

function rejectRatio({ attempts, rejected }: TenantStanding): number {
  return attempts > 0 ? rejected / attempts : 0;
}

/**
 * The rankings. Those of ratios put evidence first, because a thousand tenants with one request each would otherwise bury
 * the one that hurts: refusals by their ratio among tenants with some attempts, shares among those that are `short`.
 */
export const RANKING: Readonly<Record<RankingName, Ranking>> = {
  demand: {
    admits: () => true,
    score: ({ demandCost }, isShown) => demandCost * (isShown ? DEMAND_MARGIN : 1),
    tie: ({ attempts }) => attempts,
  },
  rejected: {
    admits: (tenant, isShown) => tenant.rejected > 0 && (isShown || rejectRatio(tenant) >= REJECTED_ENTER_RATIO),
    score: (tenant, isShown) =>
      (tenant.attempts >= ENOUGH_ATTEMPTS ? 1 + RATIO_MARGIN : 0) + rejectRatio(tenant) + (isShown ? RATIO_MARGIN : 0),
    tie: ({ rejected }) => rejected,
  },
  low_share: {
    admits: ({ normalizedShare }, isShown) =>
      normalizedShare !== null && normalizedShare < (isShown ? LOW_SHARE_LEAVE : LOW_SHARE_ENTER),
    score: ({ normalizedShare, isShort }, isShown) =>
      (isShort ? 1 + RATIO_MARGIN : 0) - (normalizedShare ?? 1) + (isShown ? RATIO_MARGIN : 0),
    tie: ({ idealCost }) => idealCost ?? 0,
  },
  slow: {
    admits: ({ inShare, waitP99Ms }) => inShare !== false && waitP99Ms !== null && waitP99Ms > 0,
    score: ({ waitP99Ms }, isShown) => (waitP99Ms ?? 0) * (isShown ? WAIT_MARGIN : 1),
    tie: ({ waitSamples }) => waitSamples,
  },
};

/**
 * The best tenants of a ranking, best first.
 *
 * @param most how many are wanted; the others are passed over without being sorted.
 * @param shownBy whether a tenant is shown by this ranking already.
 */
export function bestOf(
  ranking: Ranking,
  tenants: Iterable<TenantStanding>,
  most: number,
  shownBy: (tenant: string) => boolean,
): TenantStanding[] {
  const best: Placed[] = [];
  for (const tenant of tenants) {
    const isShown = shownBy(tenant.tenant);
    if (!ranking.admits(tenant, isShown)) continue;
    const score = ranking.score(tenant, isShown);
    const last = best.length < most ? undefined : best.at(-1);
    if (last !== undefined && score < last.score) continue;
    const entry = { tenant, score };
    if (last !== undefined && !isBefore(ranking, entry, last)) continue;
    best.splice(placeOf(ranking, entry, best), 0, entry);
    if (best.length > most) best.pop();
  }
  return best.map(({ tenant }) => tenant);
}

interface Placed {
  readonly tenant: TenantStanding;
  readonly score: number;
}

function isBefore(ranking: Ranking, a: Placed, b: Placed): boolean {
  if (a.score !== b.score) return a.score > b.score;
  const ties = ranking.tie(a.tenant) - ranking.tie(b.tenant);
  return ties === 0 ? a.tenant.tenant < b.tenant.tenant : ties > 0;
}

/** Where an entry belongs among sorted ones. */
function placeOf(ranking: Ranking, entry: Placed, sorted: readonly Placed[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other !== undefined && isBefore(ranking, entry, other)) high = middle;
    else low = middle + 1;
  }
  return low;
}
