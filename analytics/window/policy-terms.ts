import type { Policy } from '../../scheduler-core/index.ts';

/** A quota as policies say it; see `QuotaPolicy` of the core. */
export interface QuotaTerms {
  readonly ratePerS: number;
  readonly burst: number;
  readonly unit: 'requests' | 'cost';
  readonly mode: 'refuse' | 'hold';
}

/** What holds for one tenant. */
export interface TenantTerms {
  /** ≥ 0; 0 shares only in what is left over. */
  readonly weight: number;
  /** Null: it shares by itself. */
  readonly group: string | null;
  readonly class: string | null;
  readonly quota: QuotaTerms | null;
}

export interface ClassTerms {
  readonly weight: number;
  /** Null: boundless. */
  readonly waitBudgetMs: number | null;
  readonly target: { readonly ratio: number; readonly waitBelowMs: number } | null;
}

/** What of a policy shares, verdicts and reports depend on: of the rest only its text is kept. */
export interface PolicyTerms {
  /** What holds for tenants that are not named; in no group. */
  readonly defaultTenant: TenantTerms;
  readonly tenants: ReadonlyMap<string, TenantTerms>;
  /** Weights ≥ 0. */
  readonly groups: ReadonlyMap<string, number>;
  readonly classes: ReadonlyMap<string, ClassTerms>;
}

/** Where nothing is said every tenant has weight 1. */
export const NO_TERMS: PolicyTerms = {
  defaultTenant: { weight: 1, group: null, class: null, quota: null },
  tenants: new Map(),
  groups: new Map(),
  classes: new Map(),
};

/** The terms of a policy, everything in the order of names. */
export function policyTerms(policy: Policy): PolicyTerms {
  return {
    defaultTenant: tenantTerms(policy.defaultTenant),
    tenants: byName(policy.tenants, tenantTerms),
    groups: byName(policy.groups, ({ weight }) => plain(weight)),
    classes: byName(policy.classes, ({ weight, waitBudgetMs, target }) => ({
      weight,
      waitBudgetMs: waitBudgetMs === Number.POSITIVE_INFINITY ? null : waitBudgetMs,
      target: target === null ? null : { ratio: target.ratio, waitBelowMs: target.waitBelowMs },
    })),
  };
}

function tenantTerms(tenant: TenantTerms): TenantTerms {
  const { weight, group, quota } = tenant;
  return { weight: plain(weight), group, class: tenant.class, quota: quota === null ? null : quotaTerms(quota) };
}

function quotaTerms({ ratePerS, burst, unit, mode }: QuotaTerms): QuotaTerms {
  return { ratePerS: plain(ratePerS), burst, unit, mode };
}

/** JSON knows no -0, and a file may say it. */
const plain = (value: number): number => value + 0;

function byName<From, To>(map: ReadonlyMap<string, From>, each: (value: From) => To): Map<string, To> {
  return new Map(namesOf(map).map(([name, value]) => [name, each(value)]));
}

/** The entries of a map, in the order of their names' code units. */
export function namesOf<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

/** As `policy show --json` prints it and the store keeps it: lists in the order of names, so that no name is special. */
export interface PolicyDocument {
  readonly default_tenant: TenantDocument;
  readonly tenants: readonly ({ readonly tenant: string } & TenantDocument)[];
  readonly groups: readonly { readonly group: string; readonly weight: number }[];
  readonly classes: readonly ({ readonly class: string } & ClassDocument)[];
}

export interface TenantDocument {
  readonly weight: number;
  readonly group: string | null;
  readonly class: string | null;
  readonly quota: {
    readonly rate_per_s: number;
    readonly burst: number;
    readonly unit: 'requests' | 'cost';
    readonly mode: 'refuse' | 'hold';
  } | null;
}

export interface ClassDocument {
  readonly weight: number;
  readonly wait_budget_ms: number | null;
  readonly target: { readonly ratio: number; readonly wait_below_ms: number } | null;
}

/** The terms as a document; the same terms in whatever order give the same one. */
export function policyDocument(terms: PolicyTerms): PolicyDocument {
  return {
    default_tenant: tenantDocument(terms.defaultTenant),
    tenants: namesOf(terms.tenants).map(([tenant, value]) => ({ tenant, ...tenantDocument(value) })),
    groups: namesOf(terms.groups).map(([group, weight]) => ({ group, weight })),
    classes: namesOf(terms.classes).map(([name, value]) => ({ class: name, ...classDocument(value) })),
  };
}

export function tenantDocument({ weight, group, class: className, quota }: TenantTerms): TenantDocument {
  if (quota === null) return { weight, group, class: className, quota };
  const { ratePerS, burst, unit, mode } = quota;
  return { weight, group, class: className, quota: { rate_per_s: ratePerS, burst, unit, mode } };
}

export function classDocument({ weight, waitBudgetMs, target }: ClassTerms): ClassDocument {
  return {
    weight,
    wait_budget_ms: waitBudgetMs,
    target: target === null ? null : { ratio: target.ratio, wait_below_ms: target.waitBelowMs },
  };
}

/** Canonical JSON: the same terms are the same bytes. */
export function encodeTerms(terms: PolicyTerms): string {
  return JSON.stringify(policyDocument(terms));
}

/** What `encodeTerms` wrote. */
export function decodeTerms(body: string): PolicyTerms {
  // Seam: the store holds what `encodeTerms` wrote, and nobody else writes there.
  const document = JSON.parse(body) as PolicyDocument;
  return {
    defaultTenant: readTenant(document.default_tenant),
    tenants: new Map(document.tenants.map((one) => [one.tenant, readTenant(one)])),
    groups: new Map(document.groups.map(({ group, weight }) => [group, weight])),
    classes: new Map(document.classes.map((one) => [one.class, readClass(one)])),
  };
}

function readTenant({ weight, group, class: className, quota }: TenantDocument): TenantTerms {
  if (quota === null) return { weight, group, class: className, quota };
  const { rate_per_s: ratePerS, burst, unit, mode } = quota;
  return { weight, group, class: className, quota: { ratePerS, burst, unit, mode } };
}

function readClass({ weight, wait_budget_ms: waitBudgetMs, target }: ClassDocument): ClassTerms {
  return {
    weight,
    waitBudgetMs,
    target: target === null ? null : { ratio: target.ratio, waitBelowMs: target.wait_below_ms },
  };
}
