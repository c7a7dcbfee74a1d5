import type { TenantWindow, Window } from '../window/window-result.ts';
import {
  attributedCosts,
  type DividedWindow,
  divideWindow,
  listLedger,
  mostCapped,
  topCulprits,
} from './build-ledger.ts';
import { tenantSentence } from './describe-tenant.ts';
import { describeExplanation } from './describe-window.ts';
import { explainNotes } from './explain-notes.ts';
import type { ExplainedTenant, Explanation, Ledger, TopCause } from './explanation.ts';
import { explainFilling } from './list-filling.ts';
import { tenantFigures } from './tenant-figures.ts';

/** Tenants that an explanation lists; what is left out is counted. */
export const MAX_TENANTS = 1_000;

/** What a window does not say of itself. */
export interface ExplainContext {
  readonly pool: string;
  /** The window before, for what was owed at the start; null: none is stored, so nothing was. */
  readonly before: Window | null;
  /** Weights of the groups at the window's start. */
  readonly groupWeights: ReadonlyMap<string, number>;
}

/**
 * Why a window has its verdict: who was entitled to what and got what, the steps of the water filling, and every short
 * tenant's deficit divided among its causes. Pure; the order of the tenants changes nothing.
 *
 * @param tenant null for the window as a whole; else one of its tenants (one that is not there is explained as the window).
 */
export function explainWindow(window: Window, tenant: string | null, context: ExplainContext): Explanation {
  const ordered = { ...window, tenants: [...window.tenants].sort((a, b) => (a.tenant < b.tenant ? -1 : 1)) };
  const asked = ordered.tenants.find((each) => each.tenant === tenant) ?? null;
  const known = window.verdict !== 'unknown';
  const divided = known ? divideWindow(ordered, context.before) : null;
  const ledger = divided === null ? null : listLedger(divided, asked?.tenant ?? null, MAX_TENANTS);
  const attributed = attributedCosts(divided);
  const culprits = topCulprits(divided);
  const isNamed = (each: TenantWindow): boolean =>
    each === asked || culprits.has(each.tenant) || (divided !== null && each.tenant === divided.holder);
  const shown = ordered.tenants
    .filter((each) => asked === null || isNamed(each))
    .sort((a, b) => compareTenants(a, b, asked));
  const tenants = firstAndNamed(shown, isNamed).map((each) =>
    explainTenant(each, ordered, attributed.get(each.tenant) ?? 0),
  );
  return {
    pool: context.pool,
    tenant: asked?.tenant ?? null,
    summary: describeExplanation({
      pool: context.pool,
      window: ordered,
      tenant: asked,
      ledger,
      attributedCost: attributed.get(asked?.tenant ?? '') ?? 0,
    }),
    notes: explainNotes(ordered, asked),
    top_cause: decideTopCause(ordered, asked, ledger),
    window: windowFigures(window),
    tenants,
    tenants_left_out: ordered.tenants.length - tenants.length,
    ...explainFilling(ordered, context.groupWeights),
    ledger,
    ...(ledger === null
      ? { ledger_reason: known ? noDeficit(divided) : (window.verdict_reasons[0] ?? 'unknown') }
      : {}),
  };
}

/** As many as an explanation lists, those who are named always among them. */
function firstAndNamed(tenants: readonly TenantWindow[], isNamed: (each: TenantWindow) => boolean): TenantWindow[] {
  let room = MAX_TENANTS - tenants.filter(isNamed).length;
  return tenants.filter((each) => isNamed(each) || room-- > 0);
}

/** Why there is nothing to divide: in the window, or of the tenant that was asked for. */
function noDeficit(divided: DividedWindow | null): string {
  return divided === null ? 'nobody_short' : 'not_short';
}

function decideTopCause(window: Window, asked: TenantWindow | null, ledger: Ledger | null): TopCause {
  if (ledger !== null) return ledger.top_cause;
  // Where somebody is short a quota explains nothing, but for the tenant that it holds back.
  const capped =
    asked === null ? (window.verdict === 'unfair' ? null : mostCapped(window.tenants)) : mostCapped([asked]);
  return capped === null ? { cause: 'none', tenant: null } : { cause: 'quota', tenant: capped.tenant };
}

function explainTenant(tenant: TenantWindow, window: Window, attributedCost: number): ExplainedTenant {
  const figures = tenantFigures(tenant);
  const reason = window.verdict_reasons.find((code) => code !== 'conflicts' && code !== 'coverage');
  return {
    tenant: tenant.tenant,
    group: tenant.group,
    weight: tenant.weight,
    verdict: tenant.verdict,
    demand_cost: tenant.demand_cost,
    ideal_cost: figures.ideal,
    served_cost: figures.served,
    normalized_share: figures.normalizedShare,
    deficit_cost: figures.lag,
    excess_cost: figures.excess,
    attributed_cost: attributedCost,
    fair_share_cost: tenant.fair_share_cost,
    quota_refused_cost: tenant.quota_refused_cost,
    basis: figures.basis,
    ...(figures.ideal === null || figures.served === null || figures.normalizedShare === null
      ? { reason: reason ?? 'no_entitlement' }
      : {}),
    sentence: tenantSentence(tenant, window.cost_unit),
  };
}

const VERDICT_ORDER: Readonly<Record<TenantWindow['verdict'], number>> = {
  short: 0,
  over: 1,
  capped: 2,
  fair: 3,
  unknown: 4,
  idle: 5,
};

/** The one that was asked for first, then the hurt, then those served beyond their share, then by demand; ties by name. */
function compareTenants(a: TenantWindow, b: TenantWindow, asked: TenantWindow | null): number {
  return (
    Number(b === asked) - Number(a === asked) ||
    VERDICT_ORDER[a.verdict] - VERDICT_ORDER[b.verdict] ||
    sizeOf(b) - sizeOf(a) ||
    (a.tenant < b.tenant ? -1 : 1)
  );
}

function sizeOf(tenant: TenantWindow): number {
  const { lag, excess } = tenantFigures(tenant);
  if (tenant.verdict === 'short') return lag ?? 0;
  return tenant.verdict === 'over' ? (excess ?? 0) : (tenant.demand_cost ?? 0);
}

function windowFigures(window: Window): Explanation['window'] {
  return {
    start: window.start,
    end: window.end,
    state: window.state,
    revision: window.revision,
    verdict: window.verdict,
    verdict_reasons: window.verdict_reasons,
    cost_unit: window.cost_unit,
    capacity: window.capacity,
    demand_cost: window.demand_cost,
    served_cost: window.served_cost,
    ...(window.served_cost_reason === undefined ? {} : { served_cost_reason: window.served_cost_reason }),
    idle_while_waiting_ratio: window.idle_while_waiting_ratio,
    ...(window.idle_while_waiting_reason === undefined
      ? {}
      : { idle_while_waiting_reason: window.idle_while_waiting_reason }),
    policy_changed: window.policy_changed,
  };
}
