/** A span of time `[fromMs, toMs)`, epoch ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Start of the window that holds a moment; windows are aligned to the epoch, so to UTC. */
export function windowStart(atMs: number, windowMs: number): number {
  return Math.floor(atMs / windowMs) * windowMs;
}

/** End of the last window that ends by a moment. */
export function lastWindowEnd(byMs: number, windowMs: number): number {
  return Math.floor(byMs / windowMs) * windowMs;
}

/** Start of the first window that starts at or after a moment. */
export function nextWindowStart(atMs: number, windowMs: number): number {
  return Math.ceil(atMs / windowMs) * windowMs;
}

export interface ChunkLimits {
  readonly windowMs: number;
  /** Stored events that one statement may read, about. */
  readonly maxRows: number;
  /** Windows that one statement may compute. */
  readonly maxWindows: number;
}

/**
 * Cuts a range into chunks of whole windows that one computation takes at a time. Parts in which no request can be open
 * (outside every `active` span) are left out; the chunks are in time order and never overlap.
 *
 * @param active spans in time order in which requests arrive or may be open; may overlap.
 * @param perMinute stored events per minute of arrival, in time order.
 */
export function planChunks(
  range: Span,
  active: readonly Span[],
  perMinute: readonly { readonly minuteMs: number; readonly requests: number }[],
  limits: ChunkLimits,
): Span[] {
  const chunks: Span[] = [];
  let next = 0;
  for (const span of mergeSpans(active, range, limits.windowMs)) {
    let fromMs = span.fromMs;
    let rows = 0;
    for (let startMs = span.fromMs; startMs < span.toMs; startMs += limits.windowMs) {
      const endMs = startMs + limits.windowMs;
      let arriving = 0;
      for (let entry = perMinute[next]; entry !== undefined && entry.minuteMs < endMs; entry = perMinute[++next]) {
        if (entry.minuteMs + 60_000 > startMs) arriving += entry.requests;
      }
      const windows = (startMs - fromMs) / limits.windowMs;
      if (windows > 0 && (rows + arriving > limits.maxRows || windows >= limits.maxWindows)) {
        chunks.push({ fromMs, toMs: startMs });
        fromMs = startMs;
        rows = 0;
      }
      rows += arriving;
    }
    chunks.push({ fromMs, toMs: span.toMs });
  }
  return chunks;
}

/** The union of spans, widened to whole windows and cut to the range. */
function mergeSpans(spans: readonly Span[], range: Span, windowMs: number): Span[] {
  const merged: { fromMs: number; toMs: number }[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = Math.max(range.fromMs, windowStart(span.fromMs, windowMs));
    const toMs = Math.min(range.toMs, nextWindowStart(span.toMs, windowMs));
    if (fromMs >= toMs) continue;
    const last = merged.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else merged.push({ fromMs, toMs });
  }
  return merged;
}
