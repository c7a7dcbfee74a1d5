import {
  EvenshareError,
  type Policy,
  type PublishedFigure,
  quantileRank,
  readFigure,
  type Scenario,
} from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';
import { formatFigure, formatTable } from '../output.ts';
import { startProgress } from '../progress.ts';
import { simulateInTurns } from './simulate-in-turns.ts';
import { describePublished } from './simulation-text.ts';

/** Figures that every table has, beside those that were published of the scenario. */
const COMMON_FIGURES = ['jain_index', 'min_normalized_share', 'in_share_p99_wait_ms', 'utilization_ratio'];
const MOST_SEEDS = 10_000;

/** One figure of one policy over many seeds. `null`: unknown for every seed. */
export interface SeedFigure {
  readonly policy: string;
  readonly figure: string;
  readonly min: number | null;
  readonly median: number | null;
  readonly max: number | null;
  readonly seeds: number;
  readonly published: PublishedFigure | null;
}

/** Seeds of `1-50`, `7` or `1,2,5`; throws `EVS_USAGE`. */
export function seedsOption(text: string): number[] {
  const seeds = text.split(',').flatMap((part) => {
    const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part.trim());
    const from = Number(match?.[1]);
    const to = Number(match?.[2] ?? match?.[1]);
    if (match === null || to < from || to - from >= MOST_SEEDS) {
      throw new EvenshareError('EVS_USAGE', `--seeds "${text}" must be seeds such as 1-50 or 1,2,7`);
    }
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return [...new Set(seeds)];
}

export interface SeedRun {
  readonly scenario: Scenario;
  readonly policies: readonly Policy[];
  readonly seeds: readonly number[];
  readonly slots: number;
}

/** Simulates every seed and gathers the figures; the runs are independent, and none is kept in memory. */
export async function figuresOverSeeds(
  context: CliContext,
  { scenario, policies, seeds, slots }: SeedRun,
): Promise<SeedFigure[]> {
  const rows = policies.flatMap(({ name }) => {
    const figures = new Set([...COMMON_FIGURES, ...(scenario.published.get(name)?.keys() ?? [])]);
    return Array.from(figures, (figure) => ({ policy: name, figure, values: [] as number[] }));
  });
  const progress = startProgress(context, scenario.name);
  for (const [done, seed] of seeds.entries()) {
    const result = await simulateInTurns(context, scenario, { seed, policies, slots });
    for (const row of rows) {
      const policy = result.policies.find((each) => each.policy === row.policy);
      const value = policy === undefined ? null : readFigure(policy, row.figure);
      if (value !== null) row.values.push(value);
    }
    progress.update(done + 1, seeds.length);
  }
  progress.stop();
  return rows.map(({ policy, figure, values }) => ({
    policy,
    figure,
    min: quantileRank(values, 0),
    median: quantileRank(values, 0.5),
    max: quantileRank(values, 1),
    seeds: values.length,
    published: scenario.published.get(policy)?.get(figure) ?? null,
  }));
}

export function describeSeedFigures(rows: readonly SeedFigure[]): string {
  return formatTable(rows, [
    { title: 'policy', value: (row) => row.policy },
    { title: 'figure', value: (row) => row.figure },
    { title: 'min', value: (row) => formatFigure(row.min), align: 'right' },
    { title: 'median', value: (row) => formatFigure(row.median), align: 'right' },
    { title: 'max', value: (row) => formatFigure(row.max), align: 'right' },
    { title: 'seeds', value: (row) => String(row.seeds), align: 'right' },
    { title: 'published', value: (row) => describePublished(row.published ?? undefined), align: 'right' },
  ]);
}
