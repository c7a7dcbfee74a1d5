/** A name as sentences show it: escape sequences and invisible characters as `\u{…}`, quoted where it is no plain word. */
export function shownName(name: string): string {
  const shown = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (found) => {
    return `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`;
  });
  return /^[\p{L}\p{N}\p{M}_:@/+.-]*[\p{L}\p{N}\p{M}_]$/u.test(shown) ? shown : `"${shown.replaceAll('"', '\\"')}"`;
}

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SIGNIFICANT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** A cost as people read it: whole from a hundred on, three significant digits below. */
export function shownCost(cost: number): string {
  return Math.abs(cost) >= 100 ? WHOLE.format(cost) : SIGNIFICANT.format(cost);
}

/** A ratio as whole percents, or as those it was rounded to; `under 1%` and `over 99%` where 0 and 100 would be untrue. */
export function shownPercent(ratio: number, rounded: number = Math.round(ratio * 100)): string {
  if (rounded < 1 && ratio > 0) return 'under 1%';
  if (rounded === 100 && ratio < 1 - 1e-9) return 'over 99%';
  return `${WHOLE.format(rounded)}%`;
}

/** A cost unit after a figure. */
export function unitWords(unit: string): string {
  return unit === 'service_ms' ? 'ms of service' : unit;
}

/** `14:05`, with seconds where there are any. */
export function shownTime(time: string): string {
  const clock = time.slice(11, 19);
  return clock.endsWith(':00') ? clock.slice(0, 5) : clock;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
