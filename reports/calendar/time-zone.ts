/** From `fromMs` on, until the next segment, local time is UTC + `offsetMs`. */
export interface OffsetSegment {
  readonly fromMs: number;
  readonly offsetMs: number;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * The name of an IANA time zone as reports show it, or null when it is none. Offsets such as `+02:00` are none: they
 * have no calendar. Spelling follows the caller's where the platform knows the zone by an older name.
 */
export function canonicalTimeZone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return null;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * How a zone's clocks stand to UTC over `[fromMs, toMs)`: the first segment starts at `fromMs`, each further one at a
 * transition, exact to the ms. Two transitions within one hour, which no zone has had, would be missed.
 */
export function offsetSegments(timeZone: string, fromMs: number, toMs: number): OffsetSegment[] {
  const offsetAt = offsetReader(timeZone);
  const segments: { fromMs: number; offsetMs: number }[] = [{ fromMs, offsetMs: offsetAt(fromMs) }];
  let beforeMs = fromMs;
  while (beforeMs < toMs) {
    const afterMs = Math.min(beforeMs + HOUR_MS, toMs);
    const offsetMs = offsetAt(afterMs);
    const last = segments.at(-1);
    if (last !== undefined && offsetMs !== last.offsetMs) {
      segments.push({ fromMs: firstWithOffset(offsetAt, { beforeMs, afterMs }, offsetMs), offsetMs });
    }
    beforeMs = afterMs;
  }
  return segments.filter((segment) => segment.fromMs < toMs);
}

/** The segment that holds a moment; the first one for moments before all. */
export function segmentAt(segments: readonly OffsetSegment[], atMs: number): OffsetSegment {
  let found = segments[0] ?? { fromMs: atMs, offsetMs: 0 };
  for (const segment of segments) {
    if (segment.fromMs > atMs) break;
    found = segment;
  }
  return found;
}

/** `2026-11-01T00:00:00+01:00`: local time with its offset; seconds in the offset where a zone of the past has them. */
export function formatLocal(atMs: number, offsetMs: number): string {
  const local = new Date(atMs + offsetMs).toISOString().replace('.000', '').replace('Z', '');
  return `${local}${formatOffset(offsetMs)}`;
}

/** `+01:00`, `-03:30`, `+00:00`. */
export function formatOffset(offsetMs: number): string {
  const seconds = Math.abs(Math.round(offsetMs / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  return `${offsetMs < 0 ? '-' : '+'}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** The inverse of `formatOffset`. */
export function parseOffset(offset: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1000 : 1000) * (hours * 3600 + minutes * 60 + seconds);
}

/** The offset of a zone at a moment (epoch ms), read off the zone's own wall clock. */
function offsetReader(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (atMs) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(atMs)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const secondMs = Math.floor(atMs / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) - secondMs;
  };
}

/** The first ms in `(beforeMs, afterMs]` with an offset that holds at the end and not at the start. */
function firstWithOffset(
  offsetAt: (atMs: number) => number,
  between: { readonly beforeMs: number; readonly afterMs: number },
  offsetMs: number,
): number {
  let { beforeMs: low, afterMs: high } = between;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offsetMs) high = middle;
    else low = middle;
  }
  return high;
}
