import { type Static, Type } from 'typebox';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const figure = () => nullable(Type.Number());
const reason = () => Type.Optional(Type.String());
const count = () => Type.Integer({ minimum: 0 });
const counts = () => Type.Record(Type.String(), count());
/** UTC, as windows have it: `2026-11-01T10:05:00.000Z`. */
const utcTime = () => Type.String({ format: 'date-time' });
/** Local time of the report's zone with its offset: `2026-11-01T11:05:00+01:00`. */
const localTime = () => Type.String({ format: 'date-time' });

/** What the shape and the rules of a report are called; a change of either changes it. */
export const REPORT_SCHEMA = 'evenshare.report.v1';
/** Version of the definitions behind the figures (docs/definitions.md, docs/reports.md). */
export const METHOD_VERSION = '1';
/** From this part of its fair share on a tenant's window counts as "under 90%". */
export const LOW_SHARE_RATIO = 0.9;
/** From how many samples on a p99 says something. */
export const SUFFICIENT_SAMPLES = 100;

export const REPORT_STATES = ['DRAFT', 'FINAL'] as const;
/** Why a report is a draft. */
export const STATE_REASONS = ['month_not_over', 'settling', 'provisional_windows', 'windows_not_computed'] as const;
export const REPORT_STATUSES = ['short', 'short_at_times', 'over', 'capped', 'fair', 'idle', 'unknown'] as const;

/** A figure of one window, and which window. */
const AtWindow = Type.Object({ value: Type.Number(), window: utcTime() });

/**
 * Figures of one tenant over many windows. Costs and counts are plain sums over the windows in time order; windows in
 * which a cost is unknown are left out of its sum.
 */
export const TotalsSchema = Type.Object({
  /** Windows of the pool that are stored; those in which the tenant asked for something, waited or was served; and those with demand. */
  pool_windows: count(),
  windows: count(),
  windows_with_demand: count(),
  /** The tenant's windows by verdict. */
  verdicts: Type.Object({
    fair: count(),
    short: count(),
    capped: count(),
    over: count(),
    idle: count(),
    unknown: count(),
  }),
  /** Windows in which it was served less than 90% of its fair share. */
  windows_under_90_percent: count(),
  arrived_cost: Type.Number(),
  demand_cost: Type.Number(),
  fair_share_cost: figure(),
  fair_share_reason: reason(),
  served_cost: figure(),
  served_reason: reason(),
  quota_refused_cost: Type.Number(),
  /** Over the windows in which both are known: Σ served, Σ fair share, and their ratio. */
  compared: Type.Object({ windows: count(), served_cost: Type.Number(), fair_share_cost: Type.Number() }),
  served_to_fair_share_ratio: figure(),
  served_to_fair_share_reason: reason(),
  min_normalized_share: nullable(AtWindow),
  min_normalized_share_reason: reason(),
  /** Requests, retries of one original counted once; attempts = requests + retries. */
  requests: count(),
  retries: count(),
  rejected: counts(),
  rejected_attempts: count(),
  gave_up: count(),
  lost: count(),
  skewed: count(),
  wait_samples: count(),
  windows_with_samples: count(),
  /** Of those, windows with fewer than 100 samples, whose p99 rests on little. */
  windows_under_100_samples: count(),
  windows_p99_over_threshold: count(),
  /** The greatest p99 of a single window: p99s of windows are not averaged. */
  max_window_p99_wait_ms: nullable(AtWindow),
  max_window_p99_wait_reason: reason(),
  max_wait_ms: figure(),
  max_wait_reason: reason(),
});
export type Totals = Static<typeof TotalsSchema>;

const DaySchema = Type.Object({
  /** Date of the zone's calendar; `[start, end)` in local time. */
  date: Type.String(),
  start: localTime(),
  end: localTime(),
  hours: Type.Number(),
  totals: TotalsSchema,
});
export type ReportDay = Static<typeof DaySchema>;

/** One hour of the zone's clock on one day; an hour that the clock shows twice stands here once. */
const HourSchema = Type.Object({
  date: Type.String(),
  hour: Type.Integer({ minimum: 0, maximum: 23 }),
  start: localTime(),
  windows: count(),
  windows_short: count(),
  windows_unknown: count(),
  min_normalized_share: figure(),
  max_window_p99_wait_ms: figure(),
});
export type ReportHour = Static<typeof HourSchema>;

/** Consecutive windows in which the tenant was short. */
const IncidentSchema = Type.Object({
  start: localTime(),
  end: localTime(),
  windows: count(),
  fair_share_cost: Type.Number(),
  served_cost: Type.Number(),
  max_lag_cost: Type.Number(),
  worst_normalized_share: nullable(AtWindow),
  worst_p99_wait_ms: nullable(AtWindow),
  /** Windows by cause; a window may have several. Other tenants are never named. */
  causes: counts(),
});
export type Incident = Static<typeof IncidentSchema>;

const QualitySchema = Type.Object({
  windows_final: count(),
  windows_provisional: count(),
  /** Final windows that later events changed. */
  windows_restated: count(),
  windows_unknown: count(),
  /** Windows by why their verdict is unknown; a window may have several reasons. */
  unknown_reasons: counts(),
  /** Windows by where their capacity comes from. */
  capacity_bases: counts(),
  /** The lowest coverage of a window; null where no gateway reports it. */
  min_coverage_ratio: figure(),
  min_coverage_reason: reason(),
  conflicts: count(),
  policy_changed_windows: count(),
  first_window: nullable(utcTime()),
  last_window: nullable(utcTime()),
  /** Hours with requests that no stored window covers. */
  hours_not_computed: count(),
  cost_units: Type.Array(Type.String()),
});
export type ReportQuality = Static<typeof QualitySchema>;

/** What a row of `windows.rows` holds, in this order. */
export const WINDOW_COLUMNS = [
  'start',
  'state',
  'verdict',
  'demand_cost',
  'fair_share_cost',
  'served_cost',
  'normalized_share',
  'lag_cost',
  'requests',
  'retries',
  'rejected',
  'gave_up',
  'lost',
  'quota_refused_cost',
  'wait_p99_ms',
  'wait_max_ms',
  'wait_samples',
  'threshold_ms',
  'causes',
] as const;

/** Where in a row stands what charts need. */
export const WINDOW_COLUMN_INDEX = { start: 0, p99WaitMs: 14, thresholdMs: 17 } as const;

const WindowRowSchema = Type.Tuple([
  utcTime(),
  Type.Enum(['provisional', 'final']),
  Type.Enum(['fair', 'short', 'capped', 'over', 'idle', 'unknown']),
  figure(),
  figure(),
  figure(),
  figure(),
  figure(),
  count(),
  count(),
  counts(),
  count(),
  count(),
  Type.Number(),
  figure(),
  figure(),
  count(),
  Type.Number(),
  Type.Array(Type.String()),
]);
export type WindowRow = Static<typeof WindowRowSchema>;

/** The six figures that a reader sees first. */
const FiguresSchema = Type.Object({
  windows_with_demand: count(),
  windows_short: count(),
  served_to_fair_share_ratio: figure(),
  served_to_fair_share_reason: reason(),
  min_normalized_share: nullable(Type.Object({ value: Type.Number(), window: utcTime(), pool: Type.String() })),
  min_normalized_share_reason: reason(),
  windows_p99_over_threshold: count(),
  rejected_attempts: count(),
});
export type ReportFigures = Static<typeof FiguresSchema>;

const VerdictSchema = Type.Object({
  status: Type.Enum([...REPORT_STATUSES]),
  sentence: Type.String(),
  figures: FiguresSchema,
});
export type ReportVerdict = Static<typeof VerdictSchema>;

const PoolReportSchema = Type.Object({
  pool: Type.String(),
  /** The newest one of the month; `quality.cost_units` has all. */
  cost_unit: Type.String(),
  /** The tenant's weight from its first window on, and where it changed. */
  weights: Type.Array(Type.Object({ from: utcTime(), weight: Type.Number() })),
  /** Waits beyond it count as over the threshold; from the first window on, and where it changed. */
  thresholds: Type.Array(Type.Object({ from: utcTime(), threshold_ms: Type.Number() })),
  /** Every window that starts before it is computed; never beyond the end of the month. */
  computed_to: nullable(utcTime()),
  watermark: nullable(utcTime()),
  verdict: VerdictSchema,
  totals: TotalsSchema,
  days: Type.Array(DaySchema),
  hours: Type.Array(HourSchema),
  /** Windows by their p99 wait: those with `from_ms` ≤ p99 < `to_ms`; `to_ms` null for the last one, which is open. */
  wait_distribution: Type.Array(Type.Object({ from_ms: Type.Number(), to_ms: figure(), windows: count() })),
  incidents: Type.Array(IncidentSchema),
  quality: QualitySchema,
  windows: Type.Object({
    columns: Type.Array(Type.String()),
    rows: Type.Array(WindowRowSchema),
  }),
});
export type PoolReport = Static<typeof PoolReportSchema>;

/**
 * The monthly report of one tenant: everything that its page and its table show. The same stored windows give the same
 * bytes. Costs are in the pool's cost unit. A figure that cannot be known is null, with its `…_reason` beside it.
 */
export const ReportDocumentSchema = Type.Object({
  schema: Type.Literal(REPORT_SCHEMA),
  tenant: Type.String(),
  state: Type.Enum([...REPORT_STATES]),
  /** Why it is a draft; empty for a final one. */
  state_reasons: Type.Array(Type.Enum([...STATE_REASONS])),
  /** Windows that start in `[start, end)`, the month of the zone's calendar. */
  period: Type.Object({
    month: Type.String(),
    time_zone: Type.String(),
    start: localTime(),
    end: localTime(),
    start_utc: utcTime(),
    end_utc: utcTime(),
    days: count(),
    hours: Type.Number(),
    /** Offsets of the zone to UTC within the month. */
    offsets: Type.Array(Type.Object({ from: utcTime(), offset: Type.String() })),
  }),
  /** Set when the report is of one pool of several by its reader's choice. */
  pool_filter: nullable(Type.String()),
  window_ms: count(),
  method: Type.Object({ version: Type.String(), definitions: Type.Array(Type.String()) }),
  /** Language of the sentences, BCP 47. */
  locale: Type.String(),
  verdict: VerdictSchema,
  pools: Type.Array(PoolReportSchema),
  /** Of the canonical JSON (RFC 8785) of this document without this field, in hexadecimal. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type ReportDocument = Static<typeof ReportDocumentSchema>;
