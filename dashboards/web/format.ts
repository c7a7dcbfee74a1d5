const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SIGNIFICANT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const RATIO = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const TWO_DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });
const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** A cost or a count: whole from a thousand on, three significant digits below. */
export function formatAmount(amount: number): string {
  return Math.abs(amount) >= 1_000 ? WHOLE.format(amount) : SIGNIFICANT.format(amount);
}

/** A Jain index or a normalized share, three decimals: 0.996 must not read 1. */
export function formatRatio(ratio: number): string {
  return RATIO.format(ratio);
}

export function formatPercent(ratio: number): string {
  return PERCENT.format(ratio);
}

/** How many times, two significant digits: `2.9×`. */
export function formatTimes(factor: number): string {
  return `${TWO_DIGITS.format(factor)}×`;
}

/** A duration with its unit, rounded for reading: `7.3 ms`, `512 ms`, `2.6 s`, `3 min 20 s`. */
export function formatWait(waitMs: number): string {
  if (waitMs < 10) return `${TWO_DIGITS.format(waitMs)} ms`;
  if (waitMs < SECOND_MS - 0.5) return `${WHOLE.format(waitMs)} ms`;
  if (waitMs < MINUTE_MS - 500) return `${TWO_DIGITS.format(waitMs / SECOND_MS)} s`;
  return formatSpan(waitMs);
}

/** A duration beside an axis, where there is room for one unit: `10 ms`, `100 s`. */
export function formatWaitTick(waitMs: number): string {
  return waitMs < SECOND_MS ? formatWait(waitMs) : `${formatAmount(waitMs / SECOND_MS)} s`;
}

/** A span in its two largest units: `45 s`, `3 min 20 s`, `1 h 5 min`, `2 d 4 h`. */
export function formatSpan(spanMs: number): string {
  const seconds = Math.max(0, Math.round(spanMs / SECOND_MS));
  const units = [
    { name: 'd', seconds: DAY_MS / SECOND_MS },
    { name: 'h', seconds: HOUR_MS / SECOND_MS },
    { name: 'min', seconds: MINUTE_MS / SECOND_MS },
    { name: 's', seconds: 1 },
  ];
  const first = units.findIndex((unit) => seconds >= unit.seconds);
  const [major, minor] = units.slice(first === -1 ? units.length - 1 : first);
  if (major === undefined) return '0 s';
  const rest = minor === undefined ? 0 : Math.floor((seconds % major.seconds) / minor.seconds);
  const whole = `${Math.floor(seconds / major.seconds)} ${major.name}`;
  return minor === undefined || rest === 0 ? whole : `${whole} ${rest} ${minor.name}`;
}

/** Time of day in UTC: `10:05`, with seconds where there are any. Say "UTC" beside it. */
export function formatClock(timeMs: number): string {
  const time = new Date(timeMs).toISOString().slice(11, 19);
  return time.endsWith(':00') ? time.slice(0, 5) : time;
}

/** `10:05–10:06 UTC`, with the date where it is not that of `nowMs`. */
export function formatRange(fromMs: number, toMs: number, nowMs: number): string {
  const date = new Date(fromMs).toISOString().slice(0, 10);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const range = `${formatClock(fromMs)}–${formatClock(toMs)} UTC`;
  return date === today ? range : `${date} ${range}`;
}
