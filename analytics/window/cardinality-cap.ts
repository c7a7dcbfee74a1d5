import { assertInvariant } from '../../scheduler-core/index.ts';
import { bestOf, RANKING, RANKINGS, type RankingName, type TenantStanding } from './top-tenant-ranks.ts';

/** How many tenants of a pool are shown by themselves, and which in any case. */
export interface TopTenantsOptions {
  /** K: with the rest there are at most K + 1 lines. ≥ 1. */
  readonly topTenants: number;
  /** Shown whenever they are there, at most K of them, the first by name. */
  readonly pinnedTenants: readonly string[];
}

export const DEFAULT_TOP_TENANTS = 50;
/** The largest K: what a page draws and a scrape holds. */
export const MAX_TOP_TENANTS = 500;

/** For how many windows a tenant stays after the last in which it earned its place by itself. */
export const MINIMUM_STAY_WINDOWS = 10;

/** Why a tenant is shown: what earned it its place in this window; `sticky` where that was in an earlier one. */
export const TOP_REASONS = ['pinned', ...RANKINGS, 'sticky'] as const;
export type TopReason = (typeof TOP_REASONS)[number];

/** What the next window must know of a tenant that was shown. */
export interface Member {
  readonly tenant: string;
  /** The ranking by which it earned its place last, or that it was pinned. */
  readonly by: RankingName | 'pinned';
  /** Windows that it may stay yet without earning it. */
  readonly stayWindows: number;
}

/** Those that are shown, in the order of names: at most K. A tenant without figures in a window has no line to keep. */
export type Membership = readonly Member[];

export interface TopTenant {
  readonly tenant: string;
  readonly why: TopReason;
}

export interface TopTenants {
  /** In the order of names. */
  readonly members: readonly TopTenant[];
  /** Pinned tenants that were there and found no place, because more than K are pinned. */
  readonly pinnedLeftOut: number;
  readonly membership: Membership;
}

/**
 * Chooses the tenants that are shown by themselves (docs/definitions.md, "Top tenants"), so that the loud do not bury the
 * hurt. Of the places that pinned tenants leave, a fifth each is reserved for the highest ratio of refusals, the lowest
 * normalized share and the worst p99 wait of in-share tenants; the others, and what is not needed of those, go by demand.
 *
 * Half of the places of the hurt go to the first of this window, whoever was shown before. The others are sticky: who
 * earned one keeps it for `MINIMUM_STAY_WINDOWS`, and after that a newcomer must be ahead of it by a margin. Half of the
 * places by demand can be taken by such a newcomer at once.
 *
 * The order of the tenants does not matter; ties go to the first name.
 *
 * @param tenants each once.
 * @param previous of the window before; null for none, or for one too long ago to matter.
 */
export function decideTopTenants(
  tenants: readonly TenantStanding[],
  previous: Membership | null,
  options: TopTenantsOptions,
): TopTenants {
  assertInvariant(options.topTenants >= 1, 'at least one tenant is shown');
  const known = new Map(tenants.map((tenant) => [tenant.tenant, tenant]));
  const pinnedHere = [...new Set(options.pinnedTenants)].filter((tenant) => known.has(tenant)).sort();
  const pinned = pinnedHere.slice(0, options.topTenants);
  const alone = choose(known, pinned, new Map(), options.topTenants);
  const before = new Map((previous ?? []).map((member) => [member.tenant, member]));
  const chosen = before.size === 0 ? alone : choose(known, pinned, before, options.topTenants);
  const members: TopTenant[] = [];
  const membership: Member[] = [];
  for (const [tenant, by] of [...chosen].sort(byName)) {
    const earned = alone.get(tenant);
    const was = before.get(tenant);
    if (earned === undefined && was !== undefined) {
      members.push({ tenant, why: 'sticky' });
      membership.push({ tenant, by: was.by, stayWindows: Math.max(0, was.stayWindows - 1) });
    } else {
      members.push({ tenant, why: earned ?? by });
      membership.push({ tenant, by: earned ?? by, stayWindows: MINIMUM_STAY_WINDOWS });
    }
  }
  return {
    members,
    pinnedLeftOut: pinnedHere.length - pinned.length,
    membership,
  };
}

/** How many places each ranking has of so many; the hurt have theirs before demand has a second one. */
function placesOf(places: number): Readonly<Record<RankingName, number>> {
  const reserved = (offset: number): number => Math.floor((places + offset) / 5);
  const rejected = reserved(3);
  const lowShare = reserved(2);
  const slow = reserved(1);
  return { rejected, low_share: lowShare, slow, demand: places - rejected - lowShare - slow };
}

function choose(
  known: ReadonlyMap<string, TenantStanding>,
  pinned: readonly string[],
  before: ReadonlyMap<string, Member>,
  most: number,
): Map<string, RankingName | 'pinned'> {
  const chosen = new Map<string, RankingName | 'pinned'>(pinned.map((tenant) => [tenant, 'pinned']));
  const places = placesOf(most - chosen.size);
  const take = (name: RankingName, upTo: number, shownBy: (tenant: string) => boolean): void => {
    let taken = 0;
    for (const by of chosen.values()) if (by === name) taken++;
    if (taken >= upTo || chosen.size >= most) return;
    for (const { tenant } of bestOf(RANKING[name], known.values(), most + chosen.size, shownBy)) {
      if (chosen.has(tenant)) continue;
      if (taken >= upTo || chosen.size >= most) return;
      chosen.set(tenant, name);
      taken++;
    }
  };
  const isShown = (tenant: string): boolean => before.has(tenant);
  for (const name of RANKINGS) {
    take(name, Math.ceil(places[name] / 2), name === 'demand' ? isShown : () => false);
  }
  for (const member of staying(known, before)) {
    if (chosen.size >= most) break;
    if (!chosen.has(member.tenant)) chosen.set(member.tenant, member.by);
  }
  for (const name of RANKINGS) take(name, places[name], (tenant) => before.get(tenant)?.by === name);
  take('demand', most, isShown);
  return chosen;
}

/** Those whose stay is not over, the ones that earned it last first. */
function staying(known: ReadonlyMap<string, TenantStanding>, before: ReadonlyMap<string, Member>): Member[] {
  const demandOf = ({ tenant }: Member): number => known.get(tenant)?.demandCost ?? 0;
  return [...before.values()]
    .filter(({ tenant, stayWindows }) => stayWindows > 0 && known.has(tenant))
    .sort((a, b) => b.stayWindows - a.stayWindows || demandOf(b) - demandOf(a) || (a.tenant < b.tenant ? -1 : 1));
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
