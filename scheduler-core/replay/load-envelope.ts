import { MINUTE_MS } from '../kernel/index.ts';
import type { Span } from '../simulate/rate-profile.ts';

/** The range of loads that a record has seen: offered slot-time ÷ slot-time there is, per window. */
export interface LoadEnvelope {
  readonly loadMin: number;
  readonly loadMax: number;
}

/** Windows over a long record are longer than a minute: so many at most. */
const MOST_WINDOWS = 10_000;

/** Work counts where it arrives. Null where the span is empty. */
export function loadEnvelope(
  arrivals: readonly { readonly arrivedAtMs: number; readonly slotMs: number }[],
  slots: number,
  span: Span,
): LoadEnvelope | null {
  const lengthMs = span.toMs - span.fromMs;
  if (!(lengthMs > 0)) return null;
  const windowMs = Math.min(lengthMs, Math.max(MINUTE_MS, lengthMs / MOST_WINDOWS));
  const windows = Math.max(1, Math.floor(lengthMs / windowMs));
  const offered = new Float64Array(windows);
  for (const { arrivedAtMs, slotMs } of arrivals) {
    const index = Math.floor((arrivedAtMs - span.fromMs) / windowMs);
    if (index >= 0 && index < windows) offered[index] = (offered[index] ?? 0) + slotMs;
  }
  let loadMin = Number.POSITIVE_INFINITY;
  let loadMax = 0;
  for (const slotMs of offered) {
    const load = slotMs / (slots * windowMs);
    loadMin = Math.min(loadMin, load);
    loadMax = Math.max(loadMax, load);
  }
  return { loadMin, loadMax };
}
