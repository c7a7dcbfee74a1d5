import type { PoolReport, ReportDocument, ReportFigures } from '../report-document.ts';
import type { Words } from './words.ts';

/** One of the six figures. */
export interface Tile {
  readonly label: string;
  readonly figure: string;
  readonly isUnknown: boolean;
  readonly isBad: boolean;
  readonly below: string;
}

/** The six figures of a report, each with what it rests on where the report has one pool. */
export function tilesOf({ verdict, pools, window_ms: windowMs }: ReportDocument, words: Words): Tile[] {
  const [first] = pools;
  const only = pools.length === 1 && first !== undefined ? first : null;
  return [
    demandTile(verdict.figures, only, { words, windowMs }),
    shortTile(verdict.figures, pools, words),
    ratioTile(verdict.figures, only, words),
    leastTile(verdict.figures, only, words),
    p99Tile(verdict.figures, pools, words),
    refusedTile(verdict.figures, pools, words),
  ];
}

const KNOWN = { isUnknown: false, isBad: false } as const;

function demandTile(
  figures: ReportFigures,
  only: PoolReport | null,
  { words, windowMs }: { readonly words: Words; readonly windowMs: number },
): Tile {
  const { formats, say } = words;
  return {
    ...KNOWN,
    label: say('tile.demand'),
    figure: formats.count(figures.windows_with_demand),
    below:
      only === null
        ? say('tile.demand_below_pools')
        : say('tile.demand_below', {
            windows: formats.counted('counted.windows', only.totals.pool_windows),
            length: formats.wait(windowMs),
          }),
  };
}

function shortTile(figures: ReportFigures, pools: readonly PoolReport[], { formats, say }: Words): Tile {
  const under = formats.counted(
    'counted.windows',
    sum(pools, (pool) => pool.totals.windows_under_90_percent),
  );
  const incidents = sum(pools, (pool) => pool.incidents.length);
  return {
    ...KNOWN,
    isBad: figures.windows_short > 0,
    label: say('tile.short'),
    figure: formats.count(figures.windows_short),
    below:
      incidents === 0
        ? say('tile.short_none', { under })
        : say('tile.short_below', { under, incidents: formats.counted('counted.incidents', incidents) }),
  };
}

function ratioTile(figures: ReportFigures, only: PoolReport | null, words: Words): Tile {
  const { formats, say, code } = words;
  const ratio = figures.served_to_fair_share_ratio;
  const label = say('tile.ratio');
  if (ratio === null || only === null) {
    const tile = unknownTile(label, code('reason', figures.served_to_fair_share_reason ?? ''), words);
    return only === null ? { ...tile, figure: say('tile.ratio_per_pool') } : tile;
  }
  const { served_cost: served, fair_share_cost: fair } = only.totals.compared;
  return {
    ...KNOWN,
    isBad: only.verdict.status === 'short',
    label,
    figure: formats.percent(ratio),
    below: say('tile.ratio_below', {
      served: formats.amount(served),
      fair: formats.amount(fair),
      unit: code('cost_unit', only.cost_unit),
    }),
  };
}

function leastTile(figures: ReportFigures, only: PoolReport | null, words: Words): Tile {
  const { formats, say, code, times } = words;
  const least = figures.min_normalized_share;
  const label = say('tile.least');
  if (least === null) return unknownTile(label, code('reason', figures.min_normalized_share_reason ?? ''), words);
  const when = times.when(times.local(least.window));
  return {
    ...KNOWN,
    label,
    figure: formats.ratio(least.value),
    below:
      only === null ? say('tile.least_below_pools', { when, pool: least.pool }) : say('tile.least_below', { when }),
  };
}

function p99Tile(figures: ReportFigures, pools: readonly PoolReport[], { formats, say }: Words): Tile {
  const thresholds = new Set(pools.flatMap((pool) => pool.thresholds.map((step) => step.threshold_ms)));
  const [threshold] = thresholds;
  const highest = Math.max(-1, ...pools.map((pool) => pool.totals.max_window_p99_wait_ms?.value ?? -1));
  return {
    ...KNOWN,
    isBad: figures.windows_p99_over_threshold > 0,
    label:
      thresholds.size === 1 && threshold !== undefined
        ? say('tile.p99', { threshold: formats.wait(threshold) })
        : say('tile.p99_varying'),
    figure: formats.count(figures.windows_p99_over_threshold),
    below: say('tile.p99_below', {
      windows: formats.count(sum(pools, (pool) => pool.totals.windows_with_samples)),
      highest: highest < 0 ? say('tile.none') : formats.wait(highest),
    }),
  };
}

function refusedTile(figures: ReportFigures, pools: readonly PoolReport[], { formats, say }: Words): Tile {
  const attempts = sum(pools, ({ totals }) => totals.requests + totals.retries);
  return {
    ...KNOWN,
    label: say('tile.refused'),
    figure: formats.count(figures.rejected_attempts),
    below: say('tile.refused_below', {
      percent: formats.percent(attempts === 0 ? 0 : figures.rejected_attempts / attempts),
      attempts: formats.counted('counted.attempts', attempts),
    }),
  };
}

function unknownTile(label: string, why: string, { say }: Words): Tile {
  return { label, figure: say('unknown'), isUnknown: true, isBad: false, below: why };
}

function sum(pools: readonly PoolReport[], of: (pool: PoolReport) => number): number {
  return pools.reduce((total, pool) => total + of(pool), 0);
}
