/** A rate of arrivals and the time (exclusive, ms; > the time asked for, or Infinity) until which it holds. */
export interface RateStep {
  readonly rateRps: number;
  readonly untilMs: number;
}

/** A rate that changes in steps: what holds at a time. Pure. */
export type RateProfile = (atMs: number) => RateStep;

/** `[fromMs, toMs)`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A span with a rate of its own. */
export interface RateSpan extends Span {
  readonly rateRps: number;
}

/** A span of `lengthMs` at the start of every `everyMs`, counted from time 0 (with epoch times: aligned to UTC). */
export interface SpanCycle {
  readonly everyMs: number;
  readonly lengthMs: number;
}

export function constantRate(rateRps: number): RateProfile {
  const step: RateStep = { rateRps, untilMs: Number.POSITIVE_INFINITY };
  return () => step;
}

/** Each span's own rate within it (sorted, disjoint), `baseRps` outside of them. */
export function rateInSpans(baseRps: number, spans: readonly RateSpan[]): RateProfile {
  return (atMs) => {
    const next = spans.find((span) => atMs < span.toMs && span.fromMs < span.toMs);
    if (next === undefined) return { rateRps: baseRps, untilMs: Number.POSITIVE_INFINITY };
    if (atMs < next.fromMs) return { rateRps: baseRps, untilMs: next.fromMs };
    return { rateRps: next.rateRps, untilMs: next.toMs };
  };
}

/** `raisedRps` within the spans of the cycle, `baseRps` outside of them. */
export function rateInCycle(baseRps: number, raisedRps: number, cycle: SpanCycle): RateProfile {
  return (atMs) => {
    const startMs = Math.floor(atMs / cycle.everyMs) * cycle.everyMs;
    const raisedToMs = startMs + cycle.lengthMs;
    if (atMs < raisedToMs) return { rateRps: raisedRps, untilMs: raisedToMs };
    return { rateRps: baseRps, untilMs: startMs + cycle.everyMs };
  };
}
