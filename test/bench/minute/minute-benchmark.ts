import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { mebibytes, median, milliseconds, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { type MinuteFigures, type MinuteInput, type MinuteState, measureMinute } from './minute-task.ts';
import {
  type BackfillFigures,
  type BackfillInput,
  measureBackfill,
  measureWindow,
  type WindowFigures,
  type WindowInput,
} from './scale-tasks.ts';
import { BEFORE } from './timed-store.ts';

const NAME = 'minute';
const PARTS = ['window', 'tenants', 'linear', 'history', 'backfill'] as const;
type Part = (typeof PARTS)[number];

const USAGE = `usage: npm run bench -- ${NAME} [${PARTS.join('] [')}] [OPTIONS]

  window        one busy minute, beside a plain aggregate of the rows that it must read
  tenants       a minute of 100,000 and of 1,000,000 tenants, 2 million requests each
  linear        a minute of 1, 10 and 100 times as many requests
  history       a minute in a store with nothing else, and in one that holds a long history
  backfill      a range of windows, many a statement, beside one after the other
  (none named: all)

  --requests N  requests of window (600000)
  --runs N      measured runs (window 5, else 3)
  --stored N    requests of the history (30000000)
  --windows N   windows of backfill (240); each has 20,833 requests of 2,000 tenants, as in a day of 30 million
  --profile     print what each statement of window and tenants takes`;

interface Options {
  readonly folder: string;
  readonly runs: number | null;
  readonly requests: number;
  readonly stored: number;
  readonly windows: number;
  readonly profile: boolean;
}

const RUN: Readonly<Record<Part, (options: Options, print: Print) => Promise<void>>> = {
  window: benchWindow,
  tenants: benchTenants,
  linear: benchLinear,
  history: benchHistory,
  backfill: benchBackfill,
};

export const minuteBenchmark: Benchmark = {
  name: NAME,
  summary: 'what a window takes to compute, with many tenants, requests, and much history; backfill',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: {
    minute: (input) => measureMinute(input as MinuteInput),
    window: (input) => measureWindow(input as WindowInput),
    backfill: (input) => measureBackfill(input as BackfillInput),
  },
};

async function run(args: readonly string[], print: Print): Promise<void> {
  const { values, positionals } = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'evenshare-bench-'));
  const options = {
    folder,
    runs: values.runs === undefined ? null : whole('runs', values.runs),
    requests: whole('requests', values.requests),
    stored: whole('stored', values.stored),
    windows: whole('windows', values.windows),
    profile: values.profile,
  };
  try {
    for (const part of positionals.length === 0 ? PARTS : positionals) {
      const known = PARTS.find((name) => name === part);
      if (known === undefined) throw new UsageError(`${NAME} has no part ${JSON.stringify(part)}`);
      await RUN[known](options, print);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        requests: { type: 'string', default: '600000' },
        stored: { type: 'string', default: '30000000' },
        windows: { type: 'string', default: '240' },
        runs: { type: 'string' },
        profile: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
  return value;
}

/** Statements of the fluid block; before the first of them the job runs the recursion, and decides the window's shares. */
const FLUID =
  /^(fluid-|beyond-share|(before )?CREATE OR REPLACE TEMPORARY TABLE beyond_share|(before )?INSERT INTO beyond_share)/;

async function benchWindow(options: Options, print: Print): Promise<void> {
  const { requests, runs } = options;
  const input: MinuteInput = {
    storePath: join(options.folder, 'minute'),
    requests,
    historyRequests: 2 * requests,
    tenants: 5_000,
    runs: runs ?? 5,
  };
  print(`\nwindow: ${thousands(requests)} requests of ${thousands(input.tenants)} tenants in one window`);
  const figures = await runTask<MinuteFigures>({ benchmark: NAME, name: 'minute' }, input);
  for (const state of figures.states) {
    const baseline = median(state.baselineMs);
    const fluid = state.statements
      .filter(({ statement }) => FLUID.test(statement))
      .reduce((sum, { perRunMs }) => sum + median(perRunMs), 0);
    print(
      `  ${state.name} (${thousands(state.rows)} rows in ${state.parts} parts): ` +
        `window ${spread(state.computeMs, milliseconds)}, ${thousands(state.tenants)} tenants; ` +
        `plain aggregate ${spread(state.baselineMs, milliseconds)}`,
    );
    print(
      `  ratio: ${(median(state.computeMs) / baseline).toFixed(2)} times the plain aggregate, the fluid block included (wanted: at most 10); ` +
        `without its recursion and statements ${((median(state.computeMs) - fluid) / baseline).toFixed(2)} (wanted: at most 4)`,
    );
    if (options.profile) printProfile(state, print);
  }
  print(`  peak memory ${mebibytes(figures.peakRssBytes)}, longest stall ${milliseconds(figures.longestStallMs)}`);
}

function printProfile(state: Pick<MinuteState, 'statements' | 'computeMs'>, print: Print): void {
  for (const { statement, perRunMs } of state.statements) {
    const tookMs = median(perRunMs);
    // Moments between statements are of interest where the job works by itself.
    if (statement.startsWith(BEFORE) && tookMs < 5) continue;
    print(`    ${milliseconds(tookMs).padStart(9)}  ${statement}`);
  }
}

function runWindow(options: Options, given: Pick<WindowInput, 'requests' | 'tenants' | 'historyRequests' | 'runs'>) {
  return runTask<WindowFigures>(
    { benchmark: NAME, name: 'window' },
    { storePath: join(options.folder, 'store'), ...given },
  );
}

async function benchTenants(options: Options, print: Print): Promise<void> {
  print('\ntenants: 2,000,000 requests in one window, the fluid block included');
  for (const [tenants, wanted] of [
    [100_000, 'under 10 s'],
    [1_000_000, 'finishes, under 4,096 MiB'],
  ] as const) {
    const runs = options.runs ?? (tenants > 100_000 ? 1 : 3);
    const figures = await runWindow(options, { requests: 2_000_000, tenants, historyRequests: 0, runs });
    print(
      `  ${thousands(tenants)} tenants: ${spread(figures.computeMs, milliseconds)}, peak memory ${mebibytes(figures.peakRssBytes)} (wanted: ${wanted})`,
    );
    if (options.profile) printProfile(figures, print);
  }
}

async function benchLinear(options: Options, print: Print): Promise<void> {
  print('\nlinear: requests of 1,000 tenants in one window');
  let smallest: number | null = null;
  for (const requests of [20_000, 200_000, 2_000_000]) {
    const figures = await runWindow(options, { requests, tenants: 1_000, historyRequests: 0, runs: options.runs ?? 3 });
    const each = (median(figures.computeMs) / requests) * 1000;
    smallest ??= each;
    print(
      `  ${thousands(requests)} requests: ${spread(figures.computeMs, milliseconds)}, ${each.toFixed(2)} µs a request, ` +
        `${(each / smallest).toFixed(2)} of what one takes among the fewest`,
    );
  }
}

async function benchHistory(options: Options, print: Print): Promise<void> {
  print('\nhistory: 60,000 requests of 2,000 tenants in one window');
  const given = { requests: 60_000, tenants: 2_000, runs: options.runs ?? 5 };
  const empty = await runWindow(options, { ...given, historyRequests: 0 });
  const full = await runWindow(options, { ...given, historyRequests: options.stored });
  print(`  nothing else stored: ${spread(empty.computeMs, milliseconds)}`);
  print(`  ${thousands(options.stored)} requests of 30 days beside: ${spread(full.computeMs, milliseconds)}`);
  print(`  ratio: ${(median(full.computeMs) / median(empty.computeMs)).toFixed(2)} (wanted: at most 1.5)`);
}

async function benchBackfill(options: Options, print: Print): Promise<void> {
  const { windows } = options;
  const requests = Math.round((30_000_000 / 1_440) * windows);
  print(`\nbackfill: ${thousands(windows)} windows, ${thousands(requests)} requests of 2,000 tenants`);
  const figures = await runTask<BackfillFigures>(
    { benchmark: NAME, name: 'backfill' },
    { storePath: join(options.folder, 'store'), windows, requests, tenants: 2_000 },
  );
  const together = figures.togetherMs / windows;
  const single = figures.oneByOneMs / figures.oneByOneWindows;
  print(
    `  many a statement: ${milliseconds(figures.togetherMs)}, ${milliseconds(together)} a window, peak memory ${mebibytes(figures.peakRssBytes)}`,
  );
  print(`  one by one: ${milliseconds(single)} a window (of ${figures.oneByOneWindows})`);
  print(`  ratio: ${(single / together).toFixed(2)} times faster (wanted: at least 8)`);
}
