import type { Span } from '../simulate/rate-profile.ts';
import type { RequestFate } from '../simulate/request-fate.ts';
import type { PolicyResult } from '../simulate/simulation-result.ts';
import { type WaitDistance, waitDistance } from './fidelity.ts';
import { loadEnvelope } from './load-envelope.ts';
import { recordedUsage } from './recorded-usage.ts';
import type { Fidelity, ReplayResult } from './replay-result.ts';

export interface FidelityQuestion {
  /** What was recorded, in order of arrival. */
  readonly fates: readonly RequestFate[];
  /** Slots × service time of each. */
  readonly slotMs: readonly number[];
  readonly slots: number;
  readonly span: Span;
  readonly asRecorded: PolicyResult;
  /** Under the policy that the log was made under; null: nobody named it. */
  readonly underRecorded: PolicyResult | null;
  /** Waits of what that replay served, ms. */
  readonly replayedWaitsMs: readonly number[];
}

/** How well the replay gives back the record, or why that cannot be said. */
export function decideFidelity(question: FidelityQuestion): Pick<ReplayResult, 'fidelity' | 'fidelity_reason'> {
  const { fates, asRecorded, underRecorded, replayedWaitsMs } = question;
  const recordedWaitsMs = fates.flatMap(({ dispatchedAtMs, arrivedAtMs, isWaitUnknown }) =>
    dispatchedAtMs === null || isWaitUnknown === true ? [] : [dispatchedAtMs - arrivedAtMs],
  );
  if (recordedWaitsMs.length === 0) return { fidelity: null, fidelity_reason: 'no_waits' };
  if (underRecorded === null) return { fidelity: null, fidelity_reason: 'recorded_policy_not_named' };
  const fidelity: Fidelity = {
    policy: underRecorded.policy,
    ...distanceFigures(waitDistance(recordedWaitsMs, replayedWaitsMs), replayedWaitsMs.length > 0),
    jain_recorded: asRecorded.jain_index,
    jain_replayed: underRecorded.jain_index,
    rejections_recorded: sumOf(asRecorded.rejected),
    rejections_replayed: sumOf(underRecorded.rejected),
    decisions: null,
    decisions_reason: 'not_audited',
    ...envelopeFigures(question),
  };
  return { fidelity };
}

function distanceFigures(distance: WaitDistance, hasSamples: boolean) {
  const { p50ErrorRatio, p99ErrorRatio, ks, w1OverMean } = distance;
  const reason = hasSamples ? ('recorded_zero' as const) : ('no_samples' as const);
  return {
    wait_p50_error_ratio: p50ErrorRatio,
    ...(p50ErrorRatio === null ? { wait_p50_error_reason: reason } : {}),
    wait_p99_error_ratio: p99ErrorRatio,
    ...(p99ErrorRatio === null ? { wait_p99_error_reason: reason } : {}),
    ks,
    ...(ks === null ? { ks_reason: 'no_samples' as const } : {}),
    w1_over_mean: w1OverMean,
    ...(w1OverMean === null ? { w1_over_mean_reason: reason } : {}),
  };
}

function envelopeFigures({
  fates,
  slotMs,
  slots,
  span,
}: FidelityQuestion): Pick<Fidelity, 'envelope' | 'envelope_reason'> {
  const arrivals = fates.map(({ arrivedAtMs }, index) => ({ arrivedAtMs, slotMs: slotMs[index] ?? 0 }));
  const envelope = loadEnvelope(arrivals, slots, span);
  if (envelope === null) return { envelope: null, envelope_reason: 'no_span' };
  const { mostBusySlots } = recordedUsage(fates, { slots, span, endMs: span.toMs });
  return { envelope: { load_min: envelope.loadMin, load_max: envelope.loadMax, inside: mostBusySlots <= slots } };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
