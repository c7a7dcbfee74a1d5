import type { Locale } from './locale.ts';
import { text } from './locale.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Figures and times as a locale writes them. One place rounds; the report's JSON and CSV have the figures whole. */
export interface Formats {
  /** A count, with separators. */
  count(value: number): string;
  /** A cost: whole from a thousand on, three significant digits below. */
  amount(value: number): string;
  /** A normalized share or a ratio of shares, three decimals: 0.996 must not read 1. */
  ratio(value: number): string;
  /** A part of a whole: `72%`, `0.4%`; 100% only for the whole. */
  percent(ratio: number): string;
  /** A wait or a span: `7.3 ms`, `512 ms`, `2.6 s`, `3 min 20 s`, `1 h 5 min`. */
  wait(waitMs: number): string;
  /** `1 November 2026`, `1 Nov`, of a date such as `2026-11-01`. */
  longDate(date: string): string;
  shortDate(date: string): string;
  /** `November 2026`, of `2026-11`. */
  monthName(month: string): string;
  /** Counted things, by a text with plural forms: `37 windows`. */
  counted(key: string, value: number): string;
}

export function createFormats(locale: Locale): Formats {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale.tag, options);
  const date = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale.tag === 'en' ? 'en-GB' : locale.tag, { timeZone: 'UTC', ...options });
  const whole = number({ maximumFractionDigits: 0 });
  const significant = number({ maximumSignificantDigits: 3 });
  const twoDigits = number({ maximumSignificantDigits: 2 });
  const ratio = number({ minimumFractionDigits: 3, maximumFractionDigits: 3 });
  const percent = number({ style: 'percent', maximumFractionDigits: 1 });
  const smallPercent = number({ style: 'percent', maximumSignificantDigits: 1 });
  const tenthPercent = number({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const wholePercent = number({ style: 'percent', maximumFractionDigits: 0 });
  const longDate = date({ day: 'numeric', month: 'long', year: 'numeric' });
  const shortDate = date({ day: 'numeric', month: 'short' });
  const monthName = date({ month: 'long', year: 'numeric' });
  const unit = (value: string, name: string) => text(locale, `unit.${name}`, { value });

  const span = (spanMs: number): string => {
    const units = [
      ['d', DAY_MS],
      ['h', HOUR_MS],
      ['min', MINUTE_MS],
      ['s', SECOND_MS],
    ] as const;
    const rounded = Math.round(spanMs / SECOND_MS) * SECOND_MS;
    const major = units.findIndex(([, lengthMs]) => rounded >= lengthMs);
    const [name, lengthMs] = units[major] ?? ['s', SECOND_MS];
    const [minorName, minorMs] = units[major + 1] ?? ['s', SECOND_MS];
    const rest = major + 1 >= units.length ? 0 : Math.floor((rounded % lengthMs) / minorMs);
    const first = unit(whole.format(Math.floor(rounded / lengthMs)), name);
    return rest === 0 ? first : `${first} ${unit(whole.format(rest), minorName)}`;
  };

  return {
    count: (value) => whole.format(value),
    amount: (value) => (Math.abs(value) >= 1_000 ? whole.format(value) : significant.format(value)),
    ratio: (value) => ratio.format(value),
    percent: (value) => {
      if (value > 0 && value < 0.001) return smallPercent.format(value);
      if (value < 0.1) return percent.format(value);
      if (Math.abs(value - 1) >= 0.1) return wholePercent.format(value);
      // 100% only for the whole: what lacks anything reads 99.9% at most.
      const shown = value < 1 ? Math.min(value, 0.999) : value;
      return shown < 1.0005 && shown >= 1 ? wholePercent.format(1) : tenthPercent.format(shown);
    },
    wait: (waitMs) => {
      if (waitMs < 10) return unit(twoDigits.format(waitMs), 'ms');
      if (waitMs < SECOND_MS - 0.5) return unit(whole.format(waitMs), 'ms');
      if (waitMs < MINUTE_MS - 500) return unit(twoDigits.format(waitMs / SECOND_MS), 's');
      return span(waitMs);
    },
    longDate: (value) => longDate.format(Date.parse(value)),
    shortDate: (value) => shortDate.format(Date.parse(value)),
    monthName: (value) => monthName.format(Date.parse(`${value}-01`)),
    counted: (key, value) => text(locale, key, { count: value, shown: whole.format(value) }),
  };
}
