import { SECOND_MS } from '../kernel/index.ts';
import { jainIndex, minNormalizedShare } from '../share/index.ts';
import type { Span } from './rate-profile.ts';
import type { RequestFate } from './request-fate.ts';
import { type MeasuredShares, measureShares, type ShareOptions, type TenantShare } from './share-steps.ts';
import type { PolicyResult, TenantResult, Unknown } from './simulation-result.ts';
import { countsByReason, FateTally, spansByReason } from './tenant-figures.ts';
import { waitFigures } from './wait-figures.ts';

export interface MeasureOptions extends ShareOptions {
  readonly policy: string;
  /** Null: the record does not tell. */
  readonly utilizationRatio: number | null;
  readonly idleWhileWaitingRatio: number | null;
  /** Why the two above, or the waits, are not known. */
  readonly unknownReason: Unknown;
  /** Whether the record tells when requests were dispatched: without it there are neither shares nor waits. */
  readonly hasDispatches: boolean;
}

/** A figure, or null with the reason under its own name. */
type Known<Key extends string, Reason extends string> = { readonly [K in Key]: number | null } & {
  readonly [R in Reason]?: Unknown;
};

/** The figures of one policy from what became of each request. */
export function measure(fates: readonly RequestFate[], options: MeasureOptions): PolicyResult {
  const { measured, endMs } = options;
  const all = new FateTally();
  const tallies = new Map<string, FateTally>();
  for (const fate of fates) {
    let tally = tallies.get(fate.tenant);
    if (tally === undefined) {
      tally = new FateTally();
      tallies.set(fate.tenant, tally);
    }
    tally.add(fate, measured, endMs);
    all.add(fate, measured, endMs);
  }
  const shares: MeasuredShares | null = options.hasDispatches ? measureShares(fates, options) : null;
  const shareOf = new Map(shares?.tenants.map((share) => [share.tenant, share]));
  const tenants = [...tallies.keys()]
    .sort()
    .map((tenant) =>
      tenantResult(tenant, tallies.get(tenant) ?? new FateTally(), all, shareOf.get(tenant) ?? null, options),
    );
  return {
    policy: options.policy,
    ...fairnessFigures(shares, options),
    ...inShareWaits(tenants, tallies, options),
    ...known('utilization_ratio', 'utilization_reason', options.utilizationRatio, options.unknownReason),
    ...known(
      'idle_while_waiting_ratio',
      'idle_while_waiting_reason',
      options.idleWhileWaitingRatio,
      options.unknownReason,
    ),
    promotions: all.promotions,
    ...known('mean_sojourn_ms', 'mean_sojourn_reason', all.served === 0 ? null : all.sojournSumMs / all.served),
    throughput_rps: perSecond(all.completed, measured),
    ...known('capacity_cost', 'capacity_reason', shares?.capacity ?? null, capacityReason(shares, options)),
    completed_cost: all.completedCost,
    rejected: countsByReason(all.rejected),
    given_up: all.givenUp,
    ...overBudget(all),
    waiting_at_end: all.waitingAtEnd,
    tenants,
  };
}

function capacityReason(shares: MeasuredShares | null, options: MeasureOptions): Unknown {
  return shares === null ? options.unknownReason : 'nothing_served_yet';
}

function fairnessFigures(
  shares: MeasuredShares | null,
  options: MeasureOptions,
): Pick<PolicyResult, 'jain_index' | 'jain_index_reason' | 'min_normalized_share' | 'min_normalized_share_reason'> {
  const entitled = (shares?.tenants ?? []).filter(({ share }) => share !== null && share > 0);
  const normalized = entitled.map(({ served, share }) => served / (share ?? 1));
  const worst = minNormalizedShare(
    entitled.map(({ served }) => served),
    entitled.map(({ share }) => share ?? 0),
  );
  const tenant = entitled[worst?.index ?? -1]?.tenant;
  const reason = shares === null || shares.capacity === null ? capacityReason(shares, options) : 'no_demand';
  return {
    ...known('jain_index', 'jain_index_reason', jainIndex(normalized), reason),
    min_normalized_share: worst === null || tenant === undefined ? null : { value: worst.value, tenant },
    ...(worst === null ? { min_normalized_share_reason: reason } : {}),
  };
}

type InShareWaits = Pick<PolicyResult, 'in_share_p99_wait_ms' | 'in_share_p99_wait_reason' | 'in_share_samples'> &
  Pick<PolicyResult, 'in_share_uncapped_p99_wait_ms' | 'in_share_uncapped_p99_wait_reason'>;

function inShareWaits(
  tenants: readonly TenantResult[],
  tallies: ReadonlyMap<string, FateTally>,
  options: MeasureOptions,
): InShareWaits {
  const waitsOf = (isWanted: (tenant: TenantResult) => boolean): number[] =>
    tenants.filter(isWanted).flatMap(({ tenant }) => tallies.get(tenant)?.waitsMs ?? []);
  const { p99, samples } = waitFigures(waitsOf(({ in_share }) => in_share === true));
  const uncapped = waitFigures(waitsOf((tenant) => tenant.in_share === true && tenant.quota_refused_cost === 0));
  const reason = options.hasDispatches ? 'no_samples' : options.unknownReason;
  return {
    ...known('in_share_p99_wait_ms', 'in_share_p99_wait_reason', p99, reason),
    in_share_samples: samples,
    ...known('in_share_uncapped_p99_wait_ms', 'in_share_uncapped_p99_wait_reason', uncapped.p99, reason),
  };
}

function tenantResult(
  tenant: string,
  tally: FateTally,
  all: FateTally,
  share: TenantShare | null,
  options: MeasureOptions,
): TenantResult {
  const waits = waitFigures(tally.waitsMs);
  const fair = share?.share ?? null;
  const shareReason: Unknown = share === null ? options.unknownReason : 'nothing_served_yet';
  const normalized = fair !== null && fair > 0 ? (share?.served ?? 0) / fair : null;
  return {
    tenant,
    weight: options.weightOf(tenant),
    arrived: tally.arrived,
    admitted: tally.admitted,
    completed: tally.completed,
    ...known(
      'completed_ratio',
      'completed_ratio_reason',
      all.completed === 0 ? null : tally.completed / all.completed,
      'no_samples',
    ),
    rate_rps: perSecond(tally.completed, options.measured),
    completed_cost: tally.completedCost,
    demand_cost: share?.demand ?? 0,
    ...known('fair_share_cost', 'fair_share_reason', fair, shareReason),
    served_cost: share?.served ?? 0,
    ...known('normalized_share', 'normalized_share_reason', normalized, fair === null ? shareReason : 'no_demand'),
    in_share: share?.inShare ?? null,
    ...(share === null || share.inShare === null ? { in_share_reason: shareReason } : {}),
    lag_cost: share?.lag ?? 0,
    quota_refused_cost: tally.quotaRefusedCost,
    rejected: countsByReason(tally.rejected),
    given_up: tally.givenUp,
    waiting_at_end: tally.waitingAtEnd,
    promotions: tally.promotions,
    ...known('max_sojourn_ms', 'max_sojourn_reason', tally.served === 0 ? null : tally.maxSojournMs),
    ...known('max_wait_ms', 'max_wait_reason', tally.maxWaitMs),
    rejected_between_ms: spansByReason(tally.rejected),
    ...known('first_rejected_at_ms', 'first_rejected_reason', firstRefusalMs(tally), 'none_rejected'),
    ...overBudget(tally),
    wait_ms: waits,
    ...(waits.samples === 0 ? { wait_reason: options.hasDispatches ? 'no_samples' : options.unknownReason } : {}),
  };
}

function overBudget(tally: FateTally): Known<'over_budget', 'over_budget_reason'> {
  const count = tally.budgeted === 0 ? null : tally.overBudget;
  return known('over_budget', 'over_budget_reason', count, 'no_budgets');
}

function firstRefusalMs({ rejected }: FateTally): number | null {
  let firstMs: number | null = null;
  for (const each of rejected.values()) firstMs = Math.min(firstMs ?? each.firstMs, each.firstMs);
  return firstMs;
}

function perSecond(count: number, { fromMs, toMs }: Span): number {
  return (count * SECOND_MS) / (toMs - fromMs);
}

function known<Key extends string, Reason extends string>(
  key: Key,
  reasonKey: Reason,
  value: number | null,
  reason: Unknown = 'no_samples',
): Known<Key, Reason> {
  const figure = value === null ? { [key]: null, [reasonKey]: reason } : { [key]: value };
  // A computed key is typed as any string; the two keys are those of the type.
  return figure as Known<Key, Reason>;
}
