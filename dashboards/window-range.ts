const HOUR_MS = 60 * 60_000;
/** A day of one-minute windows and the one that closes it. */
export const MAX_WINDOWS = 1_441;
/** 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write. */
const MAX_TIME_MS = 253_402_300_799_999;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?)([Zz]|[+ -]\d\d:\d\d)$/;

export interface RangeText {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export type WindowRange =
  | { readonly ok: true; readonly fromMs: number; readonly toMs: number }
  | { readonly ok: false; readonly detail: string };

/**
 * The range `[from, to)` that a query asks for, as RFC 3339 or epoch milliseconds: the last hour by default, the hour
 * before `to` when only that is given. Refused when it is empty or holds the starts of more than `MAX_WINDOWS` windows.
 */
export function parseWindowRange(text: RangeText, windowMs: number, nowMs: number): WindowRange {
  const toMs = text.to === undefined ? nowMs : parseTimeMs(text.to);
  if (toMs === null) return refuse(`to is not a time: ${shown(text.to)}`);
  const fromMs = text.from === undefined ? Math.max(0, toMs - HOUR_MS) : parseTimeMs(text.from);
  if (fromMs === null) return refuse(`from is not a time: ${shown(text.from)}`);
  if (fromMs >= toMs) return refuse(`from must be before to (the range is [from, to))`);
  const windows = Math.ceil(toMs / windowMs) - Math.ceil(fromMs / windowMs);
  if (windows > MAX_WINDOWS) {
    const detail = `the range holds ${windows} windows of ${windowMs / 1_000} s; at most ${MAX_WINDOWS} are answered at once: ask for a shorter one`;
    return { ok: false, detail };
  }
  return { ok: true, fromMs, toMs };
}

function refuse(what: string): WindowRange {
  return { ok: false, detail: `${what}; times are RFC 3339 (2026-11-01T10:05:00Z) or epoch milliseconds` };
}

/** Epoch ms (UTC), or null when the text is no time that exists. */
export function parseTimeMs(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) return Number(text) <= MAX_TIME_MS ? Number(text) : null;
  const match = RFC_3339.exec(text);
  const [, date, time, offset] = match ?? [];
  if (date === undefined || time === undefined || offset === undefined) return null;
  // Days that a month lacks roll over instead of failing: 02-30 must not become 03-02.
  const midnightMs = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnightMs) || new Date(midnightMs).toISOString().slice(0, 10) !== date) return null;
  // An unescaped "+" of an offset arrives as a space.
  const timeMs = Date.parse(`${date}T${time}${offset.toUpperCase().replace(' ', '+')}`);
  return Number.isNaN(timeMs) || timeMs < 0 || timeMs > MAX_TIME_MS ? null : timeMs;
}

function shown(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 64));
}
