import type { Command } from 'commander';
import {
  analyzeRange,
  createStoreReader,
  DEFAULT_POOL_OPTIONS,
  declareCapacity,
  declareWeights,
  nextWindowStart,
  type PoolOptions,
  type PoolWindows,
  type Span,
  type Store,
  windowStart,
} from '../../analytics/index.ts';
import type { LoadReport } from '../../ingest/index.ts';
import { DAY_MS, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import { printJson } from '../output.ts';
import { startProgress } from '../progress.ts';
import { readPolicyWeights } from '../read-policy.ts';
import { openWriter, withTemporaryStore } from '../wire.ts';
import { failOn, parseFailOn } from './fail-on.ts';
import { addFileOptions, describeLoad, type FileOptions, loadFiles, openFormat } from './load-files.ts';
import { costUnitOption, durationOption, positiveOption } from './option-values.ts';
import { describeWindows } from './windows-text.ts';

interface AuditOptions extends FileOptions {
  readonly slots?: string;
  readonly window: string;
  readonly costUnit?: string;
  readonly policy?: string;
  readonly threshold?: string;
  readonly failOn?: string;
  readonly json?: boolean;
}

export function addAudit(program: Command, context: CliContext): void {
  addFileOptions(
    program.command('audit').description('from a log file to a verdict per tenant and window; nothing to set up'),
  )
    .option('--slots <n>', 'servers of the pool; without it the capacity is inferred where it can be')
    .option('--window <duration>', 'length of a window', '60s')
    .option('--cost-unit <unit>', 'requests, service_ms or tokens; default what the format carries')
    .option('--policy <file>', 'policy whose weights hold')
    .option('--threshold <duration>', 'a longer wait counts as over the threshold', '500ms')
    .option(
      '--fail-on <rules>',
      'exit 1 when a window breaks one: unfair, unknown, jain<0.9, min-share<0.8, in-share-p99>500ms',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare audit gateway.ndjson --slots 8 --window 20s --fail-on unfair\n')
    .action(async (files: string[], options: AuditOptions) => {
      const format = await openFormat(options);
      const windowMs = windowOption(options.window);
      const slots = options.slots === undefined ? null : positiveOption('--slots', options.slots);
      const rules = options.failOn === undefined ? [] : parseFailOn(options.failOn);
      const weights = options.policy === undefined ? {} : await readPolicyWeights(options.policy);
      const poolOptions: PoolOptions = {
        ...DEFAULT_POOL_OPTIONS,
        costUnit: costUnitOption(options.costUnit) ?? format.adapter.costUnit,
        waitThresholdMs: durationOption('--threshold', options.threshold ?? '500ms'),
      };
      const results = await withTemporaryStore(async (store) => {
        const report = await loadFiles(context, files, format, openWriter(store, context));
        if (options.json !== true) context.stderr.write(describeLoad(report));
        return auditPools(context, store, report, {
          windowMs,
          slots,
          weights,
          poolOptions,
          only: options.pool ?? null,
        });
      });
      if (options.json === true) printJson(context, results.length === 1 ? results[0] : { pools: results });
      else for (const result of results) context.stdout.write(describeWindows(result));
      failOn(
        rules,
        results.flatMap((result) => result.windows),
      );
    });
}

interface AuditSettings {
  readonly windowMs: number;
  readonly slots: number | null;
  readonly weights: Readonly<Record<string, number>>;
  readonly poolOptions: PoolOptions;
  /** Audit this pool alone; null: every pool of the log. */
  readonly only: string | null;
}

/** Every window of the pools of a log that is at its end: nothing more will come. */
async function auditPools(
  context: CliContext,
  store: Store,
  report: LoadReport,
  settings: AuditSettings,
): Promise<PoolWindows[]> {
  const { windowMs, poolOptions } = settings;
  const reader = createStoreReader(store, { windowMs, poolOptions: () => poolOptions });
  const names = [...report.pools.keys()].filter((pool) => settings.only === null || pool === settings.only).sort();
  if (names.length === 0) {
    const known = [...report.pools.keys()].sort().join(', ');
    throw new EvenshareError(
      'EVS_USAGE',
      known === ''
        ? 'the log holds no requests: nothing to audit'
        : `the log has no pool "${settings.only}": it has ${known}`,
    );
  }
  const results: PoolWindows[] = [];
  for (const pool of names) {
    const span = report.pools.get(pool);
    if (span === undefined) continue;
    await declareCapacity(store, pool, { slots: settings.slots, capacityPerS: null }, 0);
    await declareWeights(store, pool, settings.weights, 0);
    const range = {
      fromMs: windowStart(span.firstArrivalMs, windowMs),
      toMs: nextWindowStart(span.newestMs + 1, windowMs),
    };
    checkWindowCount(range, windowMs);
    const progress = startProgress(context, `windows of ${pool}`);
    await analyzeRange(store, {
      ...range,
      pool,
      windowMs,
      options: poolOptions,
      watermarkMs: span.newestMs,
      closedToMs: Number.POSITIVE_INFINITY,
      computation: 1,
      onProgress: progress.update,
      signal: context.signal,
    }).finally(progress.stop);
    const { windows } = await reader.windows({ ...range, pool, windowMs, withTenants: true });
    results.push({
      pool,
      windows,
      quality: {
        accepted: report.accepted,
        duplicate: report.duplicate,
        conflict: report.conflict,
        skewed: report.skewed,
        late: 0,
        rejected: report.rejected,
      },
    });
  }
  return results;
}

/** A window is held in seconds, each with what every tenant asked for. */
const MAX_WINDOW_MS = 31 * DAY_MS;

function windowOption(text: string): number {
  const windowMs = durationOption('--window', text);
  if (windowMs <= MAX_WINDOW_MS) return windowMs;
  throw new EvenshareError('EVS_USAGE', `--window "${text}" is longer than 31d: choose a shorter one`);
}

/** Every window is a result of its own: more than anybody can look at is a mistake of units. */
const MAX_WINDOWS = 100_000;

function checkWindowCount(range: Span, windowMs: number): void {
  const windows = (range.toMs - range.fromMs) / windowMs;
  if (windows <= MAX_WINDOWS) return;
  const leastS = Math.ceil((range.toMs - range.fromMs) / MAX_WINDOWS / 1000);
  throw new EvenshareError(
    'EVS_USAGE',
    `--window ${windowMs}ms would cut this log into ${windows} windows: choose ${leastS}s or longer`,
  );
}
