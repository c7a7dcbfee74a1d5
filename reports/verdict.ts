import { assertNever } from '../scheduler-core/index.ts';
import type { Formats } from './format.ts';
import { hasText, type Locale, text } from './locale.ts';
import type { PoolFigures } from './pool-tally.ts';
import type { PoolReport, REPORT_STATUSES, ReportFigures, ReportVerdict, Totals } from './report-document.ts';

export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** Within 3% of its fair share over the month a tenant got it; the tolerance of the windows' verdicts. */
const TOLERANCE_RATIO = 0.03;

/** What a tenant's month in one pool amounts to. */
export function decideStatus(totals: Totals): ReportStatus {
  const { verdicts, served_to_fair_share_ratio: ratio } = totals;
  if (totals.windows === 0) return 'idle';
  if (totals.windows === verdicts.unknown) return 'unknown';
  if (ratio !== null && ratio < 1 - TOLERANCE_RATIO) return 'short';
  if (ratio !== null && ratio > 1 + TOLERANCE_RATIO) return 'over';
  if (verdicts.short > 0) return 'short_at_times';
  if (verdicts.capped > 0) return 'capped';
  return totals.windows_with_demand === 0 ? 'idle' : 'fair';
}

/** The verdict on one pool: its status, a sentence, six figures. */
export function poolVerdict(figures: PoolFigures, locale: Locale, formats: Formats): ReportVerdict {
  const { totals, pool } = figures;
  const least = totals.min_normalized_share;
  const status = decideStatus(totals);
  return {
    status,
    sentence: poolSentence(status, figures, { locale, formats }),
    figures: {
      windows_with_demand: totals.windows_with_demand,
      windows_short: totals.verdicts.short,
      served_to_fair_share_ratio: totals.served_to_fair_share_ratio,
      ...reason('served_to_fair_share_reason', totals.served_to_fair_share_reason),
      min_normalized_share: least === null ? null : { ...least, pool },
      ...reason('min_normalized_share_reason', totals.min_normalized_share_reason),
      windows_p99_over_threshold: totals.windows_p99_over_threshold,
      rejected_attempts: totals.rejected_attempts,
    },
  };
}

/** The statuses from the worst on: the report's is that of its worst pool. */
const BY_CONCERN: readonly ReportStatus[] = ['short', 'short_at_times', 'unknown', 'over', 'capped', 'fair', 'idle'];

/** The verdict on the whole report. Costs of several pools are not added: their units may differ. */
export function reportVerdict(pools: readonly PoolReport[], locale: Locale, formats: Formats): ReportVerdict {
  const [first] = pools;
  if (first !== undefined && pools.length === 1) return first.verdict;
  const status = BY_CONCERN.find((each) => pools.some((pool) => pool.verdict.status === each)) ?? 'idle';
  const concerned = pools.filter((pool) => pool.verdict.status === status).length;
  const sum = (of: (figures: ReportFigures) => number) =>
    pools.reduce((total, pool) => total + of(pool.verdict.figures), 0);
  const least = pools
    .flatMap((pool) => pool.verdict.figures.min_normalized_share ?? [])
    .reduce<ReportFigures['min_normalized_share']>(
      (low, each) => (low === null || each.value < low.value ? each : low),
      null,
    );
  return {
    status,
    sentence: text(locale, `sentence.pools.${status}`, {
      concerned: formats.count(concerned),
      pools: formats.count(pools.length),
    }),
    figures: {
      windows_with_demand: sum((figures) => figures.windows_with_demand),
      windows_short: sum((figures) => figures.windows_short),
      served_to_fair_share_ratio: null,
      served_to_fair_share_reason: 'several_pools',
      min_normalized_share: least,
      ...reason('min_normalized_share_reason', least === null ? 'no_demand' : undefined),
      windows_p99_over_threshold: sum((figures) => figures.windows_p99_over_threshold),
      rejected_attempts: sum((figures) => figures.rejected_attempts),
    },
  };
}

interface Words {
  readonly locale: Locale;
  readonly formats: Formats;
}

function poolSentence(status: ReportStatus, figures: PoolFigures, words: Words): string {
  const { locale, formats } = words;
  const { totals } = figures;
  const ratio = totals.served_to_fair_share_ratio;
  const values = {
    percent: ratio === null ? '' : formats.percent(ratio),
    short: formats.counted('counted.windows', totals.verdicts.short),
    over: formats.counted('counted.windows', totals.verdicts.over),
    capped: formats.counted('counted.windows', totals.verdicts.capped),
    demand: formats.counted('counted.windows_with_demand', totals.windows_with_demand),
  };
  const say = (key: string, more: Readonly<Record<string, string>> = {}) => text(locale, key, { ...values, ...more });
  const unknown =
    totals.verdicts.unknown > 0
      ? [say('sentence.also_unknown', { unknown: formats.counted('counted.windows', totals.verdicts.unknown) })]
      : [];
  switch (status) {
    case 'short':
      return join(
        [say('sentence.short'), ...(totals.verdicts.short > 0 ? [say('sentence.also_short')] : [])],
        [...causes(figures, words), ...refusals(totals, words), ...unknown],
      );
    case 'short_at_times':
      return join([say('sentence.short_at_times')], [...causes(figures, words), ...unknown]);
    case 'over':
      return join(
        [say('sentence.over'), ...(totals.verdicts.over > 0 ? [say('sentence.also_over')] : [])],
        [...(totals.verdicts.short > 0 ? [say('sentence.yet_short')] : []), ...unknown],
      );
    case 'capped':
      return join([say('sentence.capped')], unknown);
    case 'fair':
      return join([say('sentence.fair')], unknown);
    case 'idle':
      return join([say('sentence.idle')], []);
    case 'unknown':
      return join([say('sentence.unknown', { reasons: unknownReasons(figures, locale) })], []);
    default:
      return assertNever(status);
  }
}

/** What stood behind most of the short windows. */
function causes({ incidents, totals }: PoolFigures, { locale, formats }: Words): string[] {
  const counts = new Map<string, number>();
  for (const incident of incidents) {
    for (const [cause, windows] of Object.entries(incident.causes))
      counts.set(cause, (counts.get(cause) ?? 0) + windows);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (most === undefined) return [];
  const [cause, windows] = most;
  const key = `sentence.cause.${cause}`;
  if (!hasText(locale, key)) return [];
  const where =
    windows === totals.verdicts.short
      ? text(locale, 'sentence.in_all_of_them')
      : text(locale, 'sentence.in_some_of_them', { windows: formats.count(windows) });
  return [text(locale, key, { where })];
}

/** Refusals for want of room, which leave no lag behind: why a tenant may be served little and yet be short in no window. */
function refusals(totals: Totals, { locale, formats }: Words): string[] {
  const attempts = totals.requests + totals.retries;
  const refused = totals.rejected_attempts - (totals.rejected.quota ?? 0);
  if (refused <= 0 || attempts <= 0) return [];
  return [text(locale, 'sentence.also_refused', { percent: formats.percent(refused / attempts) })];
}

/** Reason codes in words; a code without words is shown as it is: a reason is never hidden. */
function unknownReasons({ quality }: PoolFigures, locale: Locale): string {
  return Object.keys(quality.unknown_reasons)
    .map((code) => reasonWords(locale, code))
    .join('; ');
}

export function reasonWords(locale: Locale, code: string): string {
  const key = `reason.${code}`;
  return hasText(locale, key) ? text(locale, key) : code.replaceAll('_', ' ');
}

/** Clauses of one sentence: the first ones joined by what their texts begin with, the rest by semicolons. */
function join(head: readonly string[], rest: readonly string[]): string {
  return `${[head.join(''), ...rest].join('; ')}.`;
}

function reason<Name extends string>(name: Name, code: string | undefined): { [Key in Name]?: string } {
  // A computed key widens to string; the return type restates which one it is.
  return code === undefined ? {} : ({ [name]: code } as { [Key in Name]?: string });
}
