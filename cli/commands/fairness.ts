import type { Command } from 'commander';
import {
  createStoreReader,
  type PoolWindows,
  periodsOf,
  type RangeTotals,
  ROLLUP_PERIODS,
  type RollupPeriod,
  readTotals,
  type Store,
} from '../../analytics/index.ts';
import { DAY_MS, EvenshareError, HOUR_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { startProgress } from '../progress.ts';
import { openStore } from '../wire.ts';
import { noPool } from './analyze.ts';
import { timeOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';
import { describeTotals, totalsJson } from './totals-text.ts';
import { describeWindows } from './windows-text.ts';

interface FairnessOptions extends StoreFlags {
  readonly from?: string;
  readonly to?: string;
  readonly pool?: string;
  readonly by?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

/** A pool's part of the range. */
interface PoolRange {
  readonly pool: string;
  readonly windowMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How far back a range goes that has no start. */
const DEFAULT_RANGE_MS: Readonly<Record<RollupPeriod, number>> = {
  hour: DAY_MS,
  day: 30 * DAY_MS,
  month: 365 * DAY_MS,
};

export function addFairness(program: Command, context: CliContext): void {
  addStoreOptions(program.command('fairness').description('the computed windows of a range, as a table or JSON'))
    .option('--from <time>', 'start; default an hour before the end, or with --by a day, 30 days or a year')
    .option('--to <time>', 'end; default the end of the newest window')
    .option('--pool <name>', 'one pool; default all')
    .option('--by <period>', 'totals per tenant and hour, day or month (UTC) instead of windows')
    .option('--tenant <name>', 'with --by: one tenant; default all')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare fairness --pool llm-a --from 2026-11-01T10:00:00Z --to 2026-11-01T11:00:00Z --json\n' +
        '  evenshare fairness --pool llm-a --by month --tenant acme --from 2026-01-01 --to 2027-01-01\n',
    )
    .action(async (options: FairnessOptions) => {
      const by = periodOption(options);
      const fromMs = options.from === undefined ? null : timeOption('--from', options.from);
      const toMs = options.to === undefined ? null : timeOption('--to', options.to);
      if (fromMs !== null && toMs !== null && fromMs >= toMs) {
        throw new EvenshareError('EVS_USAGE', `--from "${options.from}" must be before --to "${options.to}"`);
      }
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const { windowMs } = config;
        const reader = createStoreReader(store, { windowMs, poolOptions: config.poolOptions });
        const pools = await reader.pools();
        const chosen = pools.filter((pool) => options.pool === undefined || pool.pool === options.pool);
        if (chosen.length === 0)
          throw noPool(
            options.pool,
            pools.map((pool) => pool.pool),
          );
        const ranges = chosen.map(({ pool, computed_to_ms: computedToMs }): PoolRange => {
          const untilMs = toMs ?? computedToMs ?? context.clock.nowMs();
          return { pool, windowMs, fromMs: fromMs ?? defaultStart(by, untilMs), toMs: untilMs };
        });
        if (by !== null) return await printTotals(context, store, ranges, { ...options, by });
        const results: PoolWindows[] = [];
        for (const range of ranges) results.push(await reader.windows({ ...range, withTenants: true }));
        if (options.json === true) printJson(context, results.length === 1 ? results[0] : { pools: results });
        else for (const result of results) context.stdout.write(describeWindows(result));
      } finally {
        await store.close();
      }
    });
}

/** @throws EVS_USAGE for a period that is none, or a tenant without one. */
function periodOption({ by, tenant }: FairnessOptions): RollupPeriod | null {
  if (by === undefined) {
    if (tenant === undefined) return null;
    throw new EvenshareError('EVS_USAGE', '--tenant goes with totals: add --by hour, day or month');
  }
  const period = ROLLUP_PERIODS.find((known) => known === by);
  if (period === undefined) {
    throw new EvenshareError('EVS_USAGE', `--by ${JSON.stringify(by)} is no period: write hour, day or month`);
  }
  return period;
}

/** With a period: the start of the one in which the range would begin, so that the first is a whole one. */
function defaultStart(by: RollupPeriod | null, untilMs: number): number {
  if (by === null) return untilMs - HOUR_MS;
  const earliestMs = untilMs - DEFAULT_RANGE_MS[by];
  return periodsOf(by, { fromMs: earliestMs, toMs: untilMs })[1]?.fromMs ?? earliestMs;
}

const MAX_PERIODS = 2_000;

/** Periods in which nothing was computed are left out. */
async function printTotals(
  context: CliContext,
  store: Store,
  ranges: readonly PoolRange[],
  options: FairnessOptions & { readonly by: RollupPeriod },
): Promise<void> {
  const results = await readPeriods(context, store, ranges, options);
  if (options.json !== true) {
    for (const { pool, periods } of results) context.stdout.write(describeTotals(pool, periods));
    return;
  }
  const shown = results.map(({ pool, periods }) => ({ pool, by: options.by, periods: periods.map(totalsJson) }));
  printJson(context, shown.length === 1 ? shown[0] : { pools: shown });
}

interface PoolPeriods {
  readonly pool: string;
  readonly periods: readonly RangeTotals[];
}

async function readPeriods(
  context: CliContext,
  store: Store,
  ranges: readonly PoolRange[],
  { by, tenant = null }: { readonly by: RollupPeriod; readonly tenant?: string | null },
): Promise<PoolPeriods[]> {
  const wanted = ranges.map((range) => ({ range, periods: periodsOf(by, range) }));
  const total = wanted.reduce((sum, { periods }) => sum + periods.length, 0);
  if (total > MAX_PERIODS) {
    throw new EvenshareError(
      'EVS_USAGE',
      `--by ${by} makes ${total} periods of this range, more than ${MAX_PERIODS}: choose a shorter range, or a longer period`,
    );
  }
  const bar = startProgress(context, 'totals');
  const results: PoolPeriods[] = [];
  let done = 0;
  try {
    for (const { range, periods } of wanted) {
      const found: RangeTotals[] = [];
      for (const period of periods) {
        if (context.signal.aborted) throw new EvenshareError('EVS_INTERRUPTED', 'the totals were interrupted');
        const { pool, windowMs } = range;
        const totals = await readTotals(store, 'reads', { pool, windowMs, tenant, ...period });
        if (totals.pool.length > 0) found.push(totals);
        bar.update(++done, total);
      }
      results.push({ pool: range.pool, periods: found });
    }
  } finally {
    bar.stop();
  }
  return results;
}
