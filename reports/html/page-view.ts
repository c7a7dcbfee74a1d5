import { dayBars } from '../charts/day-bars.ts';
import { distributionBars } from '../charts/distribution-bars.ts';
import { SHARE_CLASSES, shareHeatmap } from '../charts/share-heatmap.ts';
import type { PoolReport, ReportDay, ReportDocument, ReportHour } from '../report-document.ts';
import { daysTable, type Fact, incidentsTable, qualityFacts, requestsTable, type Table } from './tables.ts';
import { type Tile, tilesOf } from './tiles.ts';
import { waitView } from './wait-view.ts';
import type { Words } from './words.ts';

/** What the template shows: texts, and pictures as finished markup in the fields called `…Svg`. */
export interface PageView {
  readonly lang: string;
  readonly documentTitle: string;
  readonly tenant: string;
  readonly monthName: string;
  readonly period: string;
  readonly zone: string;
  readonly pools: string;
  readonly state: { readonly word: string; readonly tone: string; readonly why: string | null };
  readonly verdict: VerdictView;
  readonly tiles: readonly Tile[];
  readonly poolViews: readonly PoolView[];
  readonly shareLegend: readonly { readonly name: string; readonly label: string }[];
  readonly method: readonly Fact[];
  readonly schema: string;
  readonly sha256: string;
}

interface VerdictView {
  readonly word: string;
  readonly symbol: string;
  readonly tone: string;
  readonly sentence: string;
}

interface PoolView {
  /** Null where the report has only this pool. */
  readonly title: string | null;
  readonly verdict: VerdictView;
  readonly useNote: string;
  readonly useSvg: string;
  readonly shareSvg: string;
  readonly waitNote: string;
  readonly waitSvg: string | null;
  readonly distributionNote: string;
  readonly distributionSvg: string | null;
  readonly requests: Table;
  readonly isNothingRefused: boolean;
  readonly incidents: Table | null;
  readonly incidentsNote: string | null;
  readonly days: Table;
  readonly daysLeftOut: string | null;
  readonly quality: readonly Fact[];
  readonly qualityNote: string | null;
}

const TONES: Readonly<Record<ReportDocument['verdict']['status'], { readonly tone: string; readonly symbol: string }>> =
  {
    short: { tone: 'bad', symbol: '▼' },
    short_at_times: { tone: 'bad', symbol: '▽' },
    over: { tone: 'over', symbol: '▲' },
    capped: { tone: 'calm', symbol: '◆' },
    fair: { tone: 'good', symbol: '✓' },
    idle: { tone: 'calm', symbol: '–' },
    unknown: { tone: 'unknown', symbol: '?' },
  };

/** Names shown in the head of a report; a tenant may be in hundreds of pools. */
const MAX_NAMES = 6;

export function pageView(document: ReportDocument, words: Words): PageView {
  const { say, formats, code } = words;
  const { period, pools } = document;
  const monthName = formats.monthName(period.month);
  const reasons = document.state_reasons.map((reason) => code('state_reason', reason)).join('; ');
  return {
    lang: document.locale,
    documentTitle: say('report.document_title', { tenant: document.tenant, month: monthName }),
    tenant: document.tenant,
    monthName,
    period: say('report.period', { start: moment(period.start), end: moment(period.end) }),
    zone: period.time_zone,
    pools: say('report.pools', { count: pools.length, names: poolNames(pools, words) }),
    state: {
      word: code('state', document.state),
      tone: document.state === 'FINAL' ? 'good' : 'over',
      why: reasons === '' ? null : say('state.draft_because', { reasons }),
    },
    verdict: verdictView(document.verdict, words),
    tiles: tilesOf(document, words),
    poolViews: pools.map((pool) => poolView(document, pool, words)),
    shareLegend: [
      { name: 'share-even', label: say('legend.share_even') },
      ...[...SHARE_CLASSES].reverse().map(({ name, bound }) => ({ name, label: say('legend.share_under', { bound }) })),
      { name: 'share-unknown', label: say('legend.share_unknown') },
      { name: 'share-none', label: say('legend.share_none') },
    ],
    method: document.method.definitions.map((definition) => ({
      term: say(`method.${definition}`),
      value: say(`method.${definition}_text`, { zone: period.time_zone, length: formats.wait(document.window_ms) }),
    })),
    schema: say('footer.schema', { schema: document.schema, version: document.method.version }),
    sha256: document.sha256,
  };

  function moment(local: string): string {
    return `${formats.longDate(local.slice(0, 10))} ${local.slice(11, 16)} ${local.slice(19)}`;
  }
}

function poolNames(pools: readonly PoolReport[], { say, formats }: Words): string {
  const names = pools
    .slice(0, MAX_NAMES)
    .map((pool) => pool.pool)
    .join(', ');
  const more = pools.length - MAX_NAMES;
  return more > 0 ? say('report.pools_more', { names, more: formats.count(more) }) : names;
}

function verdictView({ status, sentence }: ReportDocument['verdict'], { code }: Words): VerdictView {
  return { word: code('status', status), ...TONES[status], sentence };
}

function poolView(document: ReportDocument, pool: PoolReport, words: Words): PoolView {
  const { say, formats } = words;
  const waits = waitView(document, pool, words);
  const incidents = incidentsTable(pool, words);
  const { totals, quality } = pool;
  const leftOut = pool.days.filter((day) => day.totals.pool_windows === 0).length;
  return {
    title: document.pools.length === 1 ? null : say('pool.title', { pool: pool.pool }),
    verdict: verdictView(pool.verdict, words),
    ...useView(pool, words),
    shareSvg: shareSvg(pool, words),
    waitNote: waits?.note ?? say('wait.none'),
    waitSvg: waits?.chart ?? null,
    distributionNote: say('distribution.note', {
      samples: formats.counted('counted.samples', totals.wait_samples),
      windows: formats.counted('counted.windows', totals.windows_with_samples),
      few: formats.count(totals.windows_under_100_samples),
    }),
    distributionSvg: distributionSvg(pool, words),
    requests: requestsTable(pool, words),
    isNothingRefused: totals.rejected_attempts + totals.gave_up + totals.lost === 0,
    incidents: incidents?.table ?? null,
    incidentsNote: incidents?.note ?? null,
    days: daysTable(pool, words),
    daysLeftOut: leftOut === 0 ? null : formats.counted('days.left_out', leftOut),
    quality: qualityFacts(pool, document, words),
    qualityNote: quality.cost_units.length > 1 ? say('quality.units', { units: quality.cost_units.join(', ') }) : null,
  };
}

function useView({ days, totals, cost_unit: costUnit }: PoolReport, words: Words) {
  const { say, formats, code } = words;
  const cost = (value: number | null): string => (value === null ? say('unknown') : formats.amount(value));
  const unit = code('cost_unit', costUnit);
  const figures = (of: ReportDay['totals']) => ({
    demand: cost(of.demand_cost),
    fair: cost(of.fair_share_cost),
    served: cost(of.served_cost),
    unit,
  });
  return {
    useNote: say('use.note', figures(totals)),
    useSvg: dayBars(days, {
      label: say('use.label'),
      tick: formats.amount,
      tip: (day) => say('use.tip', { date: formats.shortDate(day.date), ...figures(day.totals) }),
    }),
  };
}

function shareSvg({ days, hours }: PoolReport, { say, formats }: Words): string {
  const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;
  return shareHeatmap(days, hours, {
    label: say('share.label'),
    hour: clock,
    tip: (hour: ReportHour) => {
      const values = {
        date: formats.shortDate(hour.date),
        hour: clock(hour.hour),
        windows: formats.counted('counted.windows', hour.windows),
      };
      return hour.min_normalized_share === null
        ? say('share.tip_unknown', values)
        : say('share.tip', { ...values, share: formats.ratio(hour.min_normalized_share) });
    },
  });
}

function distributionSvg({ wait_distribution: buckets }: PoolReport, { say, formats }: Words): string | null {
  if (buckets.length === 0) return null;
  const bars = buckets.map(({ from_ms: fromMs, to_ms: toMs, windows }) => ({
    label:
      toMs === null
        ? say('distribution.open', { from: formats.wait(fromMs) })
        : say('distribution.range', { from: formats.wait(fromMs), to: formats.wait(toMs) }),
    value: windows,
    shown: formats.count(windows),
  }));
  return distributionBars(bars, say('distribution.label'));
}
