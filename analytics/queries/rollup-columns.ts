/**
 * A figure of the rollups: what one window adds to it, and how such rows are put together. Every way of putting together
 * is a sum of integers, or a least or greatest: any order and any grouping of the windows gives the same bits.
 */
export interface RollupColumn {
  readonly name: string;
  /** Of the column in the tables. */
  readonly type: string;
  /** SQL expression over a window's row, `t` of a tenant or `w` of the pool; null for what only wait histograms add to. */
  readonly ofWindow: string | null;
  /** SQL aggregate over rows `r`. */
  readonly combined: string;
}

/** Costs are kept as integers of 2⁻⁴⁰ths, as the windows' own sums are (exact-sum.ts). */
export const FRACTIONS_PER_UNIT = 2 ** 40;

const exact = (cost: string): string =>
  `toInt128(floor(${cost})) * ${FRACTIONS_PER_UNIT} + toInt64(round((${cost} - floor(${cost})) * ${FRACTIONS_PER_UNIT}))`;

function summed(name: string, type: string, ofWindow: string): RollupColumn {
  return { name, type, ofWindow, combined: `sum(r.${name})` };
}

/** How many windows a condition holds for; unknown is no. */
const count = (name: string, condition: string): RollupColumn =>
  summed(name, 'UInt64', `toUInt64(ifNull(${condition}, 0))`);

/** The sum of a cost, and in how many windows it is known. */
const cost = (name: string, value: string): RollupColumn[] => [
  summed(`${name}_exact`, 'Int128', exact(`ifNull(${value}, 0)`)),
  count(`${name}_windows`, `${value} IS NOT NULL`),
];

const counts = (name: string, ofWindow: string): RollupColumn => ({
  name,
  type: 'Map(String, UInt64)',
  ofWindow: `CAST(${ofWindow}, 'Map(String, UInt64)')`,
  combined: `sumMap(r.${name})`,
});

const ones = (names: string): string => `mapFromArrays(${names}, arrayMap(name -> toUInt64(1), ${names}))`;

const histogram = (name: string): RollupColumn => ({
  name,
  type: 'Map(Int16, UInt64)',
  ofWindow: null,
  combined: `sumMap(r.${name})`,
});

type Which = 'min' | 'max';

const MOST_MS = '9223372036854775807';
const NEVER = 'bitNot(toUInt128(0))';

/**
 * A figure ≥ 0 and the start of its window as one number: the least of them is the least figure, of equals the first.
 * Numbers of 128 bits, because pairs take the engine ten times as long. Bits of floats ≥ 0 are in the order of the floats.
 */
function placed(name: string, which: Which): { readonly best: string; readonly startMs: string } {
  const at = `toInt64(r.${name}_at_ms)`;
  const key = (low: string): string =>
    `bitShiftLeft(toUInt128(reinterpretAsUInt64(abs(assumeNotNull(r.${name})))), 64) + toUInt64(${low})`;
  if (which === 'min') {
    const best = `min(if(r.${name} IS NULL, ${NEVER}, ${key(at)}))`;
    return { best: `nullIf(${best}, ${NEVER})`, startMs: `toInt64(${best})` };
  }
  const best = `max(if(r.${name} IS NULL, toUInt128(0), ${key(`${MOST_MS} - ${at}`)}))`;
  return { best: `nullIf(${best}, toUInt128(0))`, startMs: `${MOST_MS} - toInt64(${best})` };
}

/** A figure's columns: what one window adds to them. */
const ofWindows = (value: string): { readonly figure: string; readonly startMs: string } => ({
  figure: `toNullable(${value})`,
  startMs: `if(${value} IS NOT NULL, w.start_ms, toInt64(0))`,
});

/** The least or greatest of a figure ≥ 0 over the windows, with the start of the first window that has it; 0 where none does. */
function extreme(name: string, which: Which, value: string): RollupColumn[] {
  const { best, startMs } = placed(name, which);
  const { figure, startMs: windowStartMs } = ofWindows(value);
  return [
    {
      name,
      type: 'Nullable(Float64)',
      ofWindow: figure,
      combined: `reinterpretAsFloat64(toUInt64(bitShiftRight(${best}, 64)))`,
    },
    {
      name: `${name}_at_ms`,
      type: 'Int64',
      ofWindow: windowStartMs,
      combined: `if(${best} IS NULL, toInt64(0), ${startMs})`,
    },
  ];
}

/** The same with the tenant whose figure it is: of a pool, which has few rows. */
function extremeOfTenant(name: string, which: Which, value: string, tenant: string): RollupColumn[] {
  const nowhere = which === 'min' ? 'inf' : '-1.';
  const sign = which === 'min' ? '' : '-';
  const best = `${which}((ifNull(r.${name}, ${nowhere}), ${sign}r.${name}_at_ms, r.${name}_tenant))`;
  const { figure, startMs } = ofWindows(value);
  return [
    {
      name,
      type: 'Nullable(Float64)',
      ofWindow: figure,
      combined: `nullIf(tupleElement(${best}, 1), ${nowhere})`,
    },
    { name: `${name}_at_ms`, type: 'Int64', ofWindow: startMs, combined: `${sign}tupleElement(${best}, 2)` },
    {
      name: `${name}_tenant`,
      type: 'String',
      ofWindow: `if(${value} IS NOT NULL, ifNull(${tenant}, ''), '')`,
      combined: `tupleElement(${best}, 3)`,
    },
  ];
}

const SUFFICIENT_SAMPLES = 100;
const LOW_SHARE_RATIO = 0.9;

/** Of a tenant; `w` is the window that it is in. */
export const TENANT_COLUMNS: readonly RollupColumn[] = [
  summed('windows', 'UInt64', 'toUInt64(1)'),
  count('windows_final', "w.state = 'final'"),
  count('windows_with_demand', 't.demand_cost > 0'),
  count('windows_in_share', 't.in_share'),
  count('windows_under_90_percent', `t.normalized_share < ${LOW_SHARE_RATIO}`),
  counts('verdicts', 'map(t.verdict, toUInt64(1))'),
  ...cost('arrived_cost', 't.arrived_cost'),
  ...cost('arrived_cost_raw', 't.arrived_cost_raw'),
  ...cost('demand_cost', 't.demand_cost'),
  ...cost('fair_share_cost', 't.fair_share_cost'),
  ...cost('served_cost', 't.served_cost'),
  ...cost('fluid_ideal_cost', 't.fluid_ideal_cost'),
  summed('quota_refused_cost_exact', 'Int128', exact('t.quota_refused_cost')),
  // Served work and fair share of the windows in which both are known: what may be divided.
  ...cost('compared_served_cost', 'if(t.fair_share_cost IS NULL, NULL, t.served_cost)'),
  ...cost('compared_fair_share_cost', 'if(t.served_cost IS NULL, NULL, t.fair_share_cost)'),
  summed('requests', 'UInt64', 't.requests'),
  summed('retries', 'UInt64', 't.retries'),
  counts('rejected', 't.rejected'),
  summed('gave_up', 'UInt64', 't.gave_up'),
  summed('lost', 'UInt64', 't.lost'),
  summed('skewed', 'UInt64', 't.skewed'),
  summed('fluid_in_share_requests', 'UInt64', 't.fluid_in_share_requests'),
  ...extreme('min_normalized_share', 'min', 't.normalized_share'),
  ...extreme('fluid_max_lag_cost', 'max', 't.fluid_max_lag_cost'),
  summed('wait_samples', 'UInt64', 't.wait_samples'),
  count('windows_with_samples', 't.wait_samples > 0'),
  count('windows_under_100_samples', `t.wait_samples > 0 AND t.wait_samples < ${SUFFICIENT_SAMPLES}`),
  count('windows_p99_over_threshold', 't.wait_p99_ms > w.in_share_threshold_ms'),
  ...extreme('max_window_p99_wait_ms', 'max', 't.wait_p99_ms'),
  ...extreme('max_wait_ms', 'max', 't.wait_max_ms'),
  histogram('waits'),
  histogram('not_in_share_waits'),
];

/** Of a pool. */
export const POOL_COLUMNS: readonly RollupColumn[] = [
  summed('windows', 'UInt64', 'toUInt64(1)'),
  count('windows_final', "w.state = 'final'"),
  count('windows_restated', 'w.revision > 1'),
  count('windows_policy_changed', 'w.policy_changed'),
  counts('verdicts', 'map(w.verdict, toUInt64(1))'),
  counts('verdict_reasons', ones('arrayDistinct(w.verdict_reasons)')),
  counts(
    'causes',
    ones("arrayDistinct(arrayConcat(if(empty(w.over_served_tenants), [], ['over_served']), w.other_causes))"),
  ),
  ...cost('capacity_cost', 'w.capacity_cost'),
  ...cost('demand_cost', 'w.demand_cost'),
  ...cost('served_cost', 'w.served_cost'),
  summed('requests', 'UInt64', 'w.requests'),
  summed('attempts', 'UInt64', 'w.attempts'),
  summed('conflicts', 'UInt64', 'w.conflicts'),
  summed('skewed', 'UInt64', 'w.skewed'),
  summed('lost', 'UInt64', 'w.lost'),
  ...extremeOfTenant('min_normalized_share', 'min', 'w.min_normalized_share', 'w.min_normalized_share_tenant'),
  ...extreme('min_jain_index', 'min', 'w.jain_index'),
  ...extremeOfTenant(
    'fluid_min_normalized_share',
    'min',
    'w.fluid_min_normalized_share',
    'w.fluid_min_normalized_share_tenant',
  ),
  ...extreme('fluid_min_jain_index', 'min', 'w.fluid_jain_index'),
  ...extremeOfTenant('fluid_max_lag_cost', 'max', 'w.fluid_max_lag_cost', 'w.fluid_max_lag_tenant'),
  summed('in_share_requests', 'UInt64', 'w.in_share_requests'),
  summed('in_share_samples', 'UInt64', 'w.in_share_samples'),
  summed('in_share_over_threshold', 'UInt64', 'w.in_share_over_threshold'),
  summed('fluid_in_share_requests', 'UInt64', 'w.fluid_in_share_requests'),
  summed('fluid_in_share_samples', 'UInt64', 'w.fluid_in_share_samples'),
  summed('fluid_in_share_over_threshold', 'UInt64', 'w.fluid_in_share_over_threshold'),
  ...extreme('max_window_in_share_p99_wait_ms', 'max', 'w.in_share_p99_wait_ms'),
  summed('wait_samples', 'UInt64', 'w.wait_samples'),
  ...extreme('max_wait_ms', 'max', 'w.wait_max_ms'),
  histogram('waits'),
  histogram('not_in_share_waits'),
];

const named = (columns: readonly RollupColumn[], value: (column: RollupColumn) => string): string =>
  columns.map((column) => `${value(column)} AS ${column.name}`).join(',\n        ');

const NOTHING: Readonly<Record<string, string>> = {
  UInt64: 'toUInt64(0)',
  Int128: 'toInt128(0)',
  Int64: 'toInt64(0)',
  String: "''",
  'Nullable(Float64)': "CAST(NULL, 'Nullable(Float64)')",
};

/** A column's value in a row that adds nothing to it. */
const nothing = ({ type }: RollupColumn): string => NOTHING[type] ?? `CAST(map(), '${type}')`;

export const columnNames = (columns: readonly RollupColumn[]): string => columns.map(({ name }) => name).join(', ');

/** The columns of a window's row. */
export const windowValues = (columns: readonly RollupColumn[]): string =>
  named(columns, (column) => column.ofWindow ?? nothing(column));

/** The columns of a row `h` of histograms, in which both kinds of them are counted already: nothing but those. */
export const histogramValues = (columns: readonly RollupColumn[]): string =>
  named(columns, (column) => (column.ofWindow === null ? `h.${column.name}` : nothing(column)));

export const combinedValues = (columns: readonly RollupColumn[]): string => named(columns, ({ combined }) => combined);
