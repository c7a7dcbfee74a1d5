import type { Incident, PoolReport, ReportDocument, Totals } from '../report-document.ts';
import type { Words } from './words.ts';

export interface Table {
  readonly heads: readonly { readonly text: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly Cell[])[];
  readonly foot: readonly Cell[] | null;
}

export interface Cell {
  readonly text: string;
  readonly isNumber: boolean;
  readonly isBad: boolean;
  readonly isHead: boolean;
}

const words = (text: string): Cell => ({ text, isNumber: false, isBad: false, isHead: false });
const head = (text: string): Cell => ({ ...words(text), isHead: true });
const number = (text: string, isBad = false): Cell => ({ text, isNumber: true, isBad, isHead: false });

/** The days that have stored windows, and the month. */
export function daysTable(pool: PoolReport, { say, formats }: Words): Table {
  const columns = ['demand_windows', 'short', 'demand', 'fair', 'served', 'ratio', 'least', 'p99', 'refused'];
  const days = pool.days.filter((day) => day.totals.pool_windows > 0);
  return {
    heads: [
      { text: say('days.day'), isNumber: false },
      ...columns.map((column) => ({ text: say(`days.${column}`), isNumber: true })),
    ],
    rows: days.map((day) => {
      const length = day.hours === 24 ? '' : ` (${say('days.long', { hours: formats.amount(day.hours) })})`;
      return [head(`${formats.shortDate(day.date)}${length}`), ...dayCells(day.totals)];
    }),
    foot: [head(say('days.month')), ...dayCells(pool.totals)],
  };

  function dayCells(totals: Totals): Cell[] {
    const { served_to_fair_share_ratio: ratio, min_normalized_share: least, max_window_p99_wait_ms: p99 } = totals;
    const cost = (value: number | null): Cell => number(value === null ? say('unknown') : formats.amount(value));
    return [
      number(formats.count(totals.windows_with_demand)),
      number(formats.count(totals.verdicts.short), totals.verdicts.short > 0),
      cost(totals.demand_cost),
      cost(totals.fair_share_cost),
      cost(totals.served_cost),
      number(ratio === null ? say('nothing') : formats.percent(ratio)),
      number(least === null ? say('nothing') : formats.ratio(least.value)),
      number(p99 === null ? say('nothing') : formats.wait(p99.value), totals.windows_p99_over_threshold > 0),
      number(formats.count(totals.rejected_attempts)),
    ];
  }
}

const MAX_INCIDENTS = 20;

/** The longest incidents, in time order; null where there is none. `note` says how many are left out. */
export function incidentsTable(
  pool: PoolReport,
  { say, formats, times, code }: Words,
): { readonly table: Table; readonly note: string | null } | null {
  const { incidents } = pool;
  if (incidents.length === 0) return null;
  const shown = [...incidents.entries()]
    .sort(([a, one], [b, other]) => other.windows - one.windows || a - b)
    .slice(0, MAX_INCIDENTS)
    .sort(([a], [b]) => a - b)
    .map(([, incident]) => incident);
  const causes = (incident: Incident): string =>
    Object.entries(incident.causes)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(([cause, windows]) =>
        windows === incident.windows
          ? code('cause', cause)
          : say('cause.partly', {
              cause: code('cause', cause),
              windows: formats.counted('counted.windows', windows),
            }),
      )
      .join('; ');
  const rows = shown.map((incident) => [
    head(times.span(incident.start, incident.end)),
    number(formats.counted('counted.windows', incident.windows)),
    number(
      incident.worst_normalized_share === null ? say('nothing') : formats.ratio(incident.worst_normalized_share.value),
    ),
    number(incident.worst_p99_wait_ms === null ? say('nothing') : formats.wait(incident.worst_p99_wait_ms.value)),
    number(formats.amount(incident.max_lag_cost)),
    words(causes(incident)),
  ]);
  const heads = ['when', 'length', 'share', 'p99', 'lag', 'cause'].map((column, index) => ({
    text: say(`incidents.${column}`),
    isNumber: index > 0 && index < 5,
  }));
  const isCut = shown.length < incidents.length;
  const note = isCut
    ? say('incidents.some', { shown: formats.count(shown.length), all: formats.count(incidents.length) })
    : null;
  return { table: { heads, rows, foot: null }, note };
}

/** What became of the requests. */
export function requestsTable({ totals }: PoolReport, { say, formats, code }: Words): Table {
  const attempts = totals.requests + totals.retries;
  const row = (label: string, count: number): Cell[] => [
    head(label),
    number(formats.count(count)),
    number(attempts === 0 ? say('nothing') : formats.percent(count / attempts)),
  ];
  const rest = [
    ...Object.entries(totals.rejected)
      .filter(([, refused]) => refused > 0)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(([reason, refused]) => row(say('requests.refused', { reason: code('refusal', reason) }), refused)),
    ...(totals.gave_up > 0 ? [row(say('requests.gave_up'), totals.gave_up)] : []),
    ...(totals.lost > 0 ? [row(say('requests.lost'), totals.lost)] : []),
  ];
  return {
    heads: [
      { text: say('requests.what'), isNumber: false },
      { text: say('requests.attempts'), isNumber: true },
      { text: say('requests.share'), isNumber: true },
    ],
    rows: [
      row(say('requests.requests'), totals.requests),
      ...(totals.retries > 0 ? [row(say('requests.retries'), totals.retries)] : []),
      ...rest,
    ],
    foot: null,
  };
}

export interface Fact {
  readonly term: string;
  readonly value: string;
}

const MAX_CHANGES = 4;

/** How well the month is known, fact by fact. */
export function qualityFacts(pool: PoolReport, document: ReportDocument, { say, formats, times, code }: Words): Fact[] {
  const { quality, totals } = pool;
  const windows = (count: number): string => formats.counted('counted.windows', count);
  const when = (utc: string | null): string => (utc === null ? say('nothing') : times.when(times.local(utc)));
  const list = (counts: Readonly<Record<string, number>>, kind: string): string =>
    Object.entries(counts)
      .map(([name, count]) => say('basis.in', { basis: code(kind, name), windows: windows(count) }))
      .join('; ');
  const fact = (key: string, value: string): Fact => ({ term: say(`quality.${key}`), value });
  const coverage = quality.min_coverage_ratio;
  return [
    fact(
      'windows',
      say('quality.windows_value', {
        stored: formats.count(totals.pool_windows),
        first: when(quality.first_window),
        last: when(quality.last_window),
      }),
    ),
    fact(
      'state',
      say('quality.state_value', {
        final: formats.count(quality.windows_final),
        provisional: formats.count(quality.windows_provisional),
      }),
    ),
    fact('restated', windows(quality.windows_restated)),
    fact(
      'unknown',
      quality.windows_unknown === 0
        ? say('quality.unknown_none')
        : say('quality.unknown_value', {
            windows: windows(quality.windows_unknown),
            reasons: list(quality.unknown_reasons, 'reason'),
          }),
    ),
    fact(
      'coverage',
      coverage === null
        ? say('quality.coverage_none')
        : say('quality.coverage_value', { percent: formats.percent(coverage) }),
    ),
    fact('capacity', list(quality.capacity_bases, 'basis')),
    fact('weight', changes(pool.weights.map(({ from, weight }) => ({ from, shown: formats.amount(weight) })))),
    fact(
      'threshold',
      changes(pool.thresholds.map(({ from, threshold_ms: ms }) => ({ from, shown: formats.wait(ms) }))),
    ),
    fact('policy', formats.count(quality.policy_changed_windows)),
    fact('conflicts', formats.count(quality.conflicts)),
    fact('not_computed', formats.count(quality.hours_not_computed)),
    fact('computed_to', pool.computed_to === null ? say('nothing') : when(clip(pool.computed_to))),
  ];

  function changes(steps: readonly { readonly from: string; readonly shown: string }[]): string {
    const [only] = steps;
    if (steps.length === 1 && only !== undefined) return only.shown;
    const list = steps
      .slice(0, MAX_CHANGES)
      .map(({ from, shown }) => say('quality.changed', { value: shown, from: when(from) }))
      .join('; ');
    const more = steps.length - MAX_CHANGES;
    return more > 0 ? say('quality.changed_more', { list, count: more }) : list;
  }

  function clip(utc: string): string {
    return utc < document.period.end_utc ? utc : document.period.end_utc;
  }
}
