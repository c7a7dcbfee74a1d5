import { assertInvariant, assertNever, type Random, SECOND_MS } from '../kernel/index.ts';
import type { RateProfile, RateStep, Span } from './rate-profile.ts';
import { type GapDistribution, sampleGamma, sampleWeibull, scaleForMean } from './samplers.ts';

/** `count` requests from `atMs` on, `gapMs` (≥ 0) apart. */
export interface Burst {
  readonly atMs: number;
  readonly count: number;
  readonly gapMs: number;
}

/** A span in which gaps are drawn independently from one distribution. */
export interface RenewalWindow extends Span {
  readonly distribution: GapDistribution;
  readonly shape: number;
  readonly scaleMs: number;
}

/** When the requests of a load come. */
export type ArrivalProcess =
  | { readonly kind: 'poisson'; readonly rate: RateProfile }
  /** One each `everyMs` in `[fromMs, toMs)`, the first at `fromMs`. */
  | { readonly kind: 'periodic'; readonly everyMs: number; readonly fromMs: number; readonly toMs: number }
  /** Sorted by `atMs`; bursts that overlap are merged in order of time. */
  | { readonly kind: 'bursts'; readonly bursts: readonly Burst[] }
  /** Windows sorted and disjoint; each begins afresh. */
  | { readonly kind: 'renewal'; readonly windows: readonly RenewalWindow[] }
  /** Ascending times. */
  | { readonly kind: 'recorded'; readonly atMs: readonly number[] };

/** The next arrival after (or, the first time, from) the time of the one before; Infinity or ≥ `toMs`: no more. */
export type ArrivalCursor = (previousMs: number, toMs: number) => number;

/** A cursor over the arrivals; it draws from `random` what chance decides, and nothing else draws from that. */
export function openArrivals(process: ArrivalProcess, random: Random): ArrivalCursor {
  switch (process.kind) {
    case 'poisson':
      return poisson(process.rate, random);
    case 'periodic':
      return periodic(process.everyMs, process.fromMs, process.toMs);
    case 'bursts':
      return listed(burstTimes(process.bursts));
    case 'renewal':
      return renewal(process.windows, random);
    case 'recorded':
      return listed(process.atMs);
    default:
      return assertNever(process);
  }
}

/**
 * Exponential gaps have no memory, so a gap that would reach past a change of rate is drawn anew from the change on.
 */
function poisson(rate: RateProfile, random: Random): ArrivalCursor {
  let fromMs = Number.POSITIVE_INFINITY;
  let step: RateStep = { rateRps: 0, untilMs: Number.NEGATIVE_INFINITY };
  return (previousMs, toMs) => {
    let atMs = previousMs;
    while (atMs < toMs) {
      if (atMs < fromMs || atMs >= step.untilMs) {
        step = rate(atMs);
        fromMs = atMs;
        assertInvariant(step.untilMs > atMs, () => `a rate profile must move on from ${atMs}`);
      }
      const { rateRps, untilMs } = step;
      const nextAtMs = rateRps > 0 ? atMs + random.exponential(SECOND_MS / rateRps) : Number.POSITIVE_INFINITY;
      if (nextAtMs < untilMs) return nextAtMs;
      atMs = untilMs;
    }
    return atMs;
  };
}

function periodic(everyMs: number, fromMs: number, toMs: number): ArrivalCursor {
  assertInvariant(everyMs > 0, `a period must be positive, not ${everyMs}`);
  let index = 0;
  return () => {
    // Multiplied, not added up: a sum of many periods drifts.
    const atMs = fromMs + everyMs * index++;
    return atMs < toMs ? atMs : Number.POSITIVE_INFINITY;
  };
}

function listed(atMs: readonly number[]): ArrivalCursor {
  let index = 0;
  return () => atMs[index++] ?? Number.POSITIVE_INFINITY;
}

function burstTimes(bursts: readonly Burst[]): number[] {
  const times = bursts.flatMap(({ atMs, count, gapMs }) => Array.from({ length: count }, (_, n) => atMs + gapMs * n));
  return times.sort((left, right) => left - right);
}

function renewal(windows: readonly RenewalWindow[], random: Random): ArrivalCursor {
  let index = 0;
  return (previousMs, toMs) => {
    let atMs = previousMs;
    for (; index < windows.length && atMs < toMs; index++) {
      const window = windows[index];
      if (window === undefined) break;
      atMs = Math.max(atMs, window.fromMs);
      if (atMs >= window.toMs) continue;
      const sample = window.distribution === 'gamma' ? sampleGamma : sampleWeibull;
      const nextAtMs = atMs + sample(random, window.shape, window.scaleMs);
      if (nextAtMs < window.toMs) return nextAtMs;
      atMs = window.toMs;
    }
    return Number.POSITIVE_INFINITY;
  };
}

/** One row of a table of ServeGen: how a client's requests came in a window of `lengthMs`. */
export interface ServeGenWindow {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly rateRps: number;
  readonly distribution: GapDistribution;
  readonly shape: number;
}

/**
 * Renewal windows with the burstiness (shape) and the rate of the rows. The published scale is that of the gaps seen,
 * which leaves out the quiet before the first and after the last request: at such a scale a window of few requests
 * would have several times its rate. Here the scale follows from the rate.
 */
export function serveGenWindows(rows: readonly ServeGenWindow[]): RenewalWindow[] {
  return rows
    .filter(({ rateRps }) => rateRps > 0)
    .map(({ startMs, lengthMs, rateRps, distribution, shape }) => ({
      fromMs: startMs,
      toMs: startMs + lengthMs,
      distribution,
      shape,
      scaleMs: scaleForMean(distribution, shape, SECOND_MS / rateRps),
    }));
}
