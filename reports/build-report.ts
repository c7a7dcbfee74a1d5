import type { PoolProgress } from '../analytics/index.ts';
import { type CalendarMonth, localTime } from './calendar/month.ts';
import { formatOffset } from './calendar/time-zone.ts';
import { reportHash } from './canonical-json.ts';
import { decideState } from './decide-state.ts';
import { createFormats } from './format.ts';
import type { Locale } from './locale.ts';
import type { PoolTally } from './pool-tally.ts';
import { METHOD_VERSION, type PoolReport, REPORT_SCHEMA, type ReportDocument } from './report-document.ts';
import { poolVerdict, reportVerdict } from './verdict.ts';

export interface ReportParts {
  readonly tenant: string;
  readonly month: CalendarMonth;
  /** Set where the reader chose one pool. */
  readonly poolFilter: string | null;
  readonly windowMs: number;
  /** Tallies of the pools that the tenant has windows in, by name. */
  readonly pools: readonly { readonly pool: string; readonly tally: PoolTally }[];
  /** How far every pool of the store is computed: one that is behind may hide more of the tenant. */
  readonly progress: readonly PoolProgress[];
  readonly nowMs: number;
  readonly locale: Locale;
}

/** The definitions that the figures rest on, by the keys of their explanations in the locale. */
const DEFINITIONS = [
  'demand',
  'fair_share',
  'normalized_share',
  'verdicts',
  'waits',
  'refusals',
  'windows',
  'period',
  'sums',
  'state',
] as const;

const HOUR_MS = 60 * 60 * 1000;

/** The report of what was tallied. Pure: the same parts give the same bytes; `nowMs` decides only draft or final. */
export function buildReport(parts: ReportParts): ReportDocument {
  const { month, locale, progress } = parts;
  const formats = createFormats(locale);
  const progressOf = new Map(progress.map((each) => [each.pool, each]));
  const pools = parts.pools.map(({ pool, tally }): PoolReport => {
    const figures = tally.figures(progressOf.get(pool));
    return { ...figures, verdict: poolVerdict(figures, locale, formats) };
  });
  const state = decideState({
    nowMs: parts.nowMs,
    endMs: month.endMs,
    provisionalWindows: pools.reduce((total, pool) => total + pool.quality.windows_provisional, 0),
    hoursNotComputed: progress
      .filter(({ pool }) => parts.poolFilter === null || pool === parts.poolFilter)
      .reduce((total, pool) => total + pool.hoursNotComputed, 0),
  });
  const document = {
    schema: REPORT_SCHEMA,
    tenant: parts.tenant,
    ...state,
    period: describePeriod(month),
    pool_filter: parts.poolFilter,
    window_ms: parts.windowMs,
    method: { version: METHOD_VERSION, definitions: [...DEFINITIONS] },
    locale: locale.tag,
    verdict: reportVerdict(pools, locale, formats),
    pools,
  } satisfies Omit<ReportDocument, 'sha256'>;
  return { ...document, sha256: reportHash(document) };
}

function describePeriod(month: CalendarMonth): ReportDocument['period'] {
  const { startMs, endMs, offsets } = month;
  return {
    month: month.month,
    time_zone: month.timeZone,
    start: localTime(month, startMs),
    end: localTime(month, endMs),
    start_utc: new Date(startMs).toISOString(),
    end_utc: new Date(endMs).toISOString(),
    days: month.days.length,
    hours: (endMs - startMs) / HOUR_MS,
    offsets: offsets
      .filter((segment) => segment.fromMs < endMs)
      .map(({ fromMs, offsetMs }) => ({ from: new Date(fromMs).toISOString(), offset: formatOffset(offsetMs) })),
  };
}
