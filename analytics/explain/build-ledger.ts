import type { TenantWindow, Window } from '../window/window-result.ts';
import { type Division, divideDeficits, type Excess, type Sources, type Victim } from './divide-deficits.ts';
import type { Ledger, LedgerEntry, TenantLedger, TopCause } from './explanation.ts';
import { roundPercents } from './round-percents.ts';
import { lagBefore, queueBefore, tenantFigures } from './tenant-figures.ts';
import { topCause } from './top-cause.ts';

/** Culprits that a ledger names; the rest are put together. */
export const MAX_CULPRITS = 20;
/** Idle slot-time beside waiting requests from which it is a cause, as for verdicts. */
const IDLE_CAUSE_RATIO = 0.01;
/** A part of a deficit that is no more than rounding. */
const ROUNDING = 1e-9;

/** A tenant that accounts for something, as parts of what `over` and `within` explain of each deficit, and of the deficits of others. */
interface Culprit {
  readonly tenant: string;
  readonly overRatio: number;
  readonly withinRatio: number;
  readonly aheadRatio: number;
  /** Over all victims. */
  readonly cost: number;
}

/** The deficits of a window, divided; lists of any length are made of it. */
export interface DividedWindow {
  readonly victims: readonly Victim[];
  readonly division: Division;
  /** By what they account for, ties by name. */
  readonly culprits: readonly Culprit[];
  /** Somebody was served over its share, or slots were idle or lost, beyond what one decision cannot avoid. */
  readonly hasOwnCause: boolean;
  /** Slots that nobody used all the while are gone, whatever is declared. */
  readonly idleIsLost: boolean;
  /** The window was judged to suffer from earlier ones: what nothing in it explains is theirs. */
  readonly isCarried: boolean;
  /** Who was served ahead the most in earlier windows and still is; null: nobody is, or others are to blame. */
  readonly holder: string | null;
}

/** Null where nobody is short. */
export function divideWindow(window: Window, before: Window | null): DividedWindow | null {
  const carried = lagBefore(window, before);
  const victims = window.tenants.flatMap((tenant): Victim[] => {
    const deficitCost = tenant.verdict === 'short' ? (tenantFigures(tenant).lag ?? 0) : 0;
    if (deficitCost <= 0) return [];
    return [{ tenant: tenant.tenant, deficitCost, carriedCost: carried.get(tenant.tenant) ?? 0 }];
  });
  if (victims.length === 0) return null;
  victims.sort((a, b) => b.deficitCost - a.deficitCost || (a.tenant < b.tenant ? -1 : 1));
  const sources = sourcesOf(window, carried, queueBefore(window, before));
  const division = divideDeficits(victims, sources);
  const isNamed = (name: string): boolean => window.causes.some(({ cause }) => cause === name);
  const idleIsLost = isNamed('lost_capacity');
  const hasOwnCause = sources.over.length > 0 || idleIsLost || isNamed('idle_slots');
  const holder = holderOf(window);
  const isCarried = isNamed('carried_over');
  const culprits = culpritsOf(victims, sources, division);
  return { victims, division, culprits, hasOwnCause, idleIsLost, isCarried, holder };
}

/** Who has of earlier windows what others are owed: the first of those named beside it. */
export function holderOf({ causes }: Pick<Window, 'causes'>): string | null {
  if (!causes.some(({ cause }) => cause === 'carried_over')) return null;
  return causes.find(({ cause }) => cause === 'over_served')?.tenants[0] ?? null;
}

function sourcesOf(window: Window, carried: ReadonlyMap<string, number>, queueCost: number): Sources {
  const over: Excess[] = [];
  const within: Excess[] = [];
  const ahead: Excess[] = [];
  let unserved = 0;
  for (const tenant of window.tenants) {
    const { basis, ideal, served, excess, lag } = tenantFigures(tenant);
    unserved += (ideal ?? 0) - (served ?? 0);
    if (excess === null) continue;
    // What it was behind itself and caught up was nobody else's.
    const owed = basis === 'fluid' ? 0 : (carried.get(tenant.tenant) ?? 0);
    const isOver = tenant.verdict === 'over' && excess > owed;
    // Figures of the window as a whole do not tell whether it was ahead before it was behind.
    const cost = excess - (isOver || basis === 'fluid' ? owed : Math.max(owed, lag ?? 0));
    if (!(cost > (served ?? 0) * ROUNDING)) continue;
    if (isOver) over.push({ tenant: tenant.tenant, cost });
    else (tenant.verdict === 'short' ? ahead : within).push({ tenant: tenant.tenant, cost });
  }
  const idle = window.idle_while_waiting_ratio ?? 0;
  const unusedCost = idle > IDLE_CAUSE_RATIO ? idle * (window.capacity.cost ?? 0) : 0;
  return {
    over: byName(over),
    within: byName(within),
    ahead: byName(ahead),
    idleCost: unusedCost,
    lostCost: Math.max(0, unserved - unusedCost),
    queueCost,
  };
}

/** One order of adding up, whatever the order of the tenants. */
function byName(excesses: Excess[]): Excess[] {
  return excesses.sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
}

function culpritsOf(victims: readonly Victim[], sources: Sources, division: Division): Culprit[] {
  const deficits = new Map(victims.map((victim) => [victim.tenant, victim.deficitCost]));
  const total = { deficit: 0, over: 0, within: 0 };
  for (const [place, { deficitCost }] of victims.entries()) {
    total.deficit += deficitCost;
    total.over += division.victims[place]?.overCost ?? 0;
    total.within += division.victims[place]?.withinCost ?? 0;
  }
  const none = { overRatio: 0, withinRatio: 0, aheadRatio: 0 };
  const ratios = [
    ...sources.over.map(({ tenant }, place) => ({ ...none, tenant, overRatio: division.overRatios[place] ?? 0 })),
    ...sources.within.map(({ tenant }, place) => ({ ...none, tenant, withinRatio: division.withinRatios[place] ?? 0 })),
    ...sources.ahead.map(({ tenant }, place) => ({ ...none, tenant, aheadRatio: division.aheadRatios[place] ?? 0 })),
  ];
  return ratios
    .map((culprit) => ({ ...culprit, cost: costTo(culprit, total, deficits.get(culprit.tenant) ?? 0) }))
    .filter((culprit) => culprit.cost > total.deficit * ROUNDING)
    .sort((a, b) => b.cost - a.cost || (a.tenant < b.tenant ? -1 : 1));
}

/** What a tenant accounts for of some deficits; never of its own. */
function costTo(
  culprit: Omit<Culprit, 'cost'>,
  total: { readonly deficit: number; readonly over: number; readonly within: number },
  ownDeficitCost: number,
): number {
  const { overRatio, withinRatio, aheadRatio } = culprit;
  return overRatio * total.over + withinRatio * total.within + aheadRatio * Math.max(0, total.deficit - ownDeficitCost);
}

/** The ledger of all short tenants, or of one; null where that one is not short. */
export function listLedger(divided: DividedWindow, tenant: string | null, maxTenants: number): Ledger | null {
  const places = divided.victims.flatMap((victim, place) =>
    tenant === null || victim.tenant === tenant ? [place] : [],
  );
  if (places.length === 0) return null;
  const tenants = places.slice(0, maxTenants).map((place): TenantLedger => {
    const { entries, top_cause } = accountFor(divided, [place]);
    const victim = divided.victims[place];
    return {
      tenant: victim?.tenant ?? '',
      deficit_cost: victim?.deficitCost ?? 0,
      top_cause,
      entries,
    };
  });
  return {
    deficit_cost: places.reduce((total, place) => total + (divided.victims[place]?.deficitCost ?? 0), 0),
    ...accountFor(divided, places),
    tenants,
    tenants_left_out: places.length - tenants.length,
  };
}

interface Account {
  readonly entries: LedgerEntry[];
  readonly top_cause: TopCause;
}

/** What the deficits of some victims together are put down to. */
function accountFor({ victims, division, culprits, ...divided }: DividedWindow, places: readonly number[]): Account {
  const total = { deficit: 0, over: 0, idle: 0, carried: 0, queue: 0, lost: 0, within: 0, rest: 0 };
  const own = new Map<string, number>();
  for (const place of places) {
    const of = division.victims[place];
    const victim = victims[place];
    total.deficit += victim?.deficitCost ?? 0;
    if (victim !== undefined) own.set(victim.tenant, victim.deficitCost);
    total.over += of?.overCost ?? 0;
    if (divided.idleIsLost) total.lost += of?.idleCost ?? 0;
    else total.idle += of?.idleCost ?? 0;
    total.carried += of?.carriedCost ?? 0;
    total.queue += of?.queueCost ?? 0;
    total.lost += of?.lostCost ?? 0;
    total.within += of?.withinCost ?? 0;
    total.rest += of?.restCost ?? 0;
  }
  const costOf = (culprit: Culprit): number => costTo(culprit, total, own.get(culprit.tenant) ?? 0);
  const { isCarried } = divided;
  const rest = culprits.slice(MAX_CULPRITS);
  const parts: Omit<LedgerEntry, 'percent'>[] = [
    ...culprits
      .slice(0, MAX_CULPRITS)
      .map((culprit) => ({ cause: 'over_served' as const, tenant: culprit.tenant, tenants: 1, cost: costOf(culprit) })),
    {
      cause: 'over_served',
      tenant: null,
      tenants: rest.length,
      cost: rest.reduce((sum, culprit) => sum + costOf(culprit), 0),
    },
    { cause: 'idle_slots', tenant: null, tenants: 0, cost: total.idle },
    {
      cause: 'carried_over',
      tenant: null,
      tenants: 0,
      cost: total.carried + total.queue + (isCarried ? total.rest : 0),
    },
    { cause: 'lost_capacity', tenant: null, tenants: 0, cost: total.lost },
    { cause: 'none', tenant: null, tenants: 0, cost: isCarried ? 0 : total.rest },
  ];
  const entries = parts
    .filter((part) => part.cost > total.deficit * ROUNDING)
    // A stable sort: of equals the first named.
    .sort((a, b) => b.cost - a.cost);
  const percents = roundPercents(entries.map((entry) => entry.cost));
  const rounded = entries.map((entry, place) => ({ ...entry, percent: percents[place] ?? 0 }));
  return { entries: rounded, top_cause: topCause(rounded, total.carried, divided) };
}

/** What every culprit accounts for, over all victims. */
export function attributedCosts(divided: DividedWindow | null): ReadonlyMap<string, number> {
  return new Map((divided?.culprits ?? []).map((culprit) => [culprit.tenant, culprit.cost]));
}

/** Those who account for the most. */
export function topCulprits(divided: DividedWindow | null): ReadonlySet<string> {
  return new Set((divided?.culprits ?? []).slice(0, MAX_CULPRITS).map((culprit) => culprit.tenant));
}

/** The quota's own: of the tenants that their quotas held back the one it cost most; ties: the first name. */
export function mostCapped(tenants: readonly TenantWindow[]): TenantWindow | null {
  let most: TenantWindow | null = null;
  for (const tenant of tenants) {
    if (tenant.verdict !== 'capped') continue;
    const lead = tenant.quota_refused_cost - (most?.quota_refused_cost ?? Number.NEGATIVE_INFINITY);
    if (most === null || lead > 0 || (lead === 0 && tenant.tenant < most.tenant)) most = tenant;
  }
  return most;
}
