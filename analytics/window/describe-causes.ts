import { type Granularity, otherCauses, type TenantBalance, wasAhead } from './decide-verdicts.ts';
import type { DecidedWindow } from './decide-windows.ts';
import type { FluidWindow } from './fluid-window.ts';
import type { TenantWindow } from './window-result.ts';

/** Tenants that are named where many took a little each, or have what others are owed from before. */
const MAX_THIN = 20;
/** Of the slot-time idle while requests waited so much must be the same number of slots without a break. */
const STEADY_RATIO = 0.75;
/** Of the requests that came while others waited so many may find a slot at once although slots are gone. */
const AT_ONCE_RATIO = 0.1;

/** Who was served over its due stands first that took most; who only got what it was owed from before is no cause. */
export function describeCauses(
  decided: DecidedWindow,
  tenants: readonly TenantWindow[],
  context: {
    readonly balances: readonly TenantBalance[];
    readonly granularity: Granularity;
    readonly fluid: FluidWindow;
    readonly idleRatio: number | null;
    readonly windowMs: number;
  },
) {
  const { balances, granularity, fluid } = context;
  let shortLagBefore = 0;
  let shortLag = 0;
  let unserved = 0;
  for (const [index, { tenant, verdict }] of tenants.entries()) {
    const { gps, ideal, served } = fluid.of(tenant);
    // By the filling that knows what was really late: what is served already cannot be lost.
    unserved += ideal - served;
    if (verdict !== 'short') continue;
    shortLagBefore += gps.lagBefore;
    shortLag += Math.max(gps.maxLag, tenants[index]?.fluid?.shortfall_cost ?? 0);
  }
  const excess = (tenant: TenantWindow): number => tenant.fluid?.excess_cost ?? 0;
  const byExcess = [...tenants].sort((a, b) => excess(b) - excess(a) || (a.tenant < b.tenant ? -1 : 1));
  const over = byExcess.filter((tenant) => tenant.verdict === 'over');
  const [other] = otherCauses({
    overServedTenants: over.length,
    idleWhileWaitingRatio: context.idleRatio,
    idleSteadily: isIdleSteadily(decided, context.windowMs),
    isUnserved: balances.length > 0 && unserved > granularity.slots * granularity.largestCost,
    shortLagBefore,
    shortLag,
  });
  const names = (some: readonly TenantWindow[]): string[] => some.map(({ tenant }) => tenant);
  const thin =
    other === 'spread_thin' ? byExcess.filter((tenant) => excess(tenant) > 0 && tenant.verdict !== 'short') : [];
  const overServed = (some: readonly string[]) =>
    some.length === 0 ? [] : [{ cause: 'over_served', tenants: some.slice(0, Math.max(over.length, MAX_THIN)) }];
  if (over.length > 0 || other === 'idle_slots' || other === 'lost_capacity') {
    return [...overServed(names(over)), ...(other === undefined ? [] : [{ cause: other, tenants: [] }])];
  }
  const holders = holdersOf(tenants, balances, (balance) => wasAhead(balance, granularity, shortLagBefore));
  const isCarried = other === 'carried_over' || thin.length === 0 || holders.length > 0;
  return [
    ...overServed([...new Set([...holders, ...names(thin)])]),
    ...(isCarried ? [{ cause: 'carried_over', tenants: [] }] : []),
  ];
}

/** Who still has of earlier windows what others are owed, the most first. */
function holdersOf(
  tenants: readonly TenantWindow[],
  balances: readonly TenantBalance[],
  holds: (balance: TenantBalance) => boolean,
): string[] {
  return tenants
    .flatMap(({ tenant, verdict }, index) => {
      const balance = balances[index];
      if (balance === undefined || verdict === 'short' || !holds(balance)) return [];
      return [{ tenant, ahead: balance.aheadBefore }];
    })
    .sort((a, b) => b.ahead - a.ahead || (a.tenant < b.tenant ? -1 : 1))
    .map(({ tenant }) => tenant);
}

/** Slots that nobody used all the while: where requests that come find one free, it is the scheduler that left others waiting. */
function isIdleSteadily({ saturation, pool, tenants }: DecidedWindow, windowMs: number): boolean {
  if (saturation === null) return false;
  if (saturation.steadilyIdleMs <= STEADY_RATIO * saturation.idleWhileWaitingMs) return false;
  // Where no request came none could find a slot free. Slots that are gone keep everybody waiting, a scheduler may skip one.
  if (pool === null) return tenants.filter(({ work }) => (work?.late ?? 0) > 0).length > 1;
  const waitingRatio = saturation.waitingMs / windowMs;
  return pool.dispatchedAtOnce <= (1 - waitingRatio + AT_ONCE_RATIO * waitingRatio) * pool.attempts;
}
