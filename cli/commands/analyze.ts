import type { Command } from 'commander';
import {
  backfill,
  DEFAULT_WATERMARK_OPTIONS,
  decideWatermark,
  nextWindowStart,
  readPoolSpans,
  readUnfinishedBackfills,
  type Span,
  windowStart,
} from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type Config, loadConfig } from '../load-config.ts';
import { startProgress } from '../progress.ts';
import { openStore } from '../wire.ts';
import { analyzeVia } from './analyze-via.ts';
import { type Analyzed, printAnalyzed } from './analyzed.ts';
import { timeOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface AnalyzeOptions extends StoreFlags {
  readonly from?: string;
  readonly to?: string;
  readonly pool?: string;
  readonly resume?: boolean;
  readonly via?: string;
  readonly json?: boolean;
}

export function addAnalyze(program: Command, context: CliContext): void {
  addStoreOptions(program.command('analyze').description('compute or recompute the windows of a range'))
    .option('--from <time>', 'start; default the first stored request')
    .option('--to <time>', 'end; default the last stored request')
    .option('--pool <name>', 'one pool; default all')
    .option('--resume', 'go on with what an earlier run did not finish')
    .option('--via <address>', 'have the process that runs there do it, beside its own work')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare analyze --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z\n' +
        '  evenshare analyze --via http://127.0.0.1:8484 --from 2026-11-01T00:00:00Z\n',
    )
    .action(async (options: AnalyzeOptions) => {
      const fromMs = options.from === undefined ? null : timeOption('--from', options.from);
      const toMs = options.to === undefined ? null : timeOption('--to', options.to);
      checkRange(options, fromMs, toMs);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      if (options.via !== undefined) {
        const { via, pool, json = false } = options;
        await analyzeVia(context, config, { via, pool, fromMs, toMs, json });
        return;
      }
      const store = await openStore(config, context).catch((error: unknown) => {
        throw orVia(error, config);
      });
      try {
        const spans = await readPoolSpans(store, 'jobs');
        const chosen = spans.filter((span) => options.pool === undefined || span.pool === options.pool);
        if (chosen.length === 0)
          throw noPool(
            options.pool,
            spans.map((span) => span.pool),
          );
        const unfinished = options.resume === true ? await readUnfinishedBackfills(store, config.windowMs) : null;
        const results: Analyzed[] = [];
        for (const span of chosen) {
          const left = unfinished?.find(({ pool }) => pool === span.pool);
          if (unfinished !== null && left === undefined) continue;
          const range = rangeOf(span, fromMs, toMs, config.windowMs);
          const nowMs = context.clock.nowMs();
          const progress = startProgress(context, `windows of ${span.pool}`);
          // Nothing has come lately: the sources are closed, and with them every window. Else the job's rule holds.
          const live = nowMs - span.latestEndMs < DEFAULT_WATERMARK_OPTIONS.idleAfterMs;
          const watermarkMs = decideWatermark(
            live ? [{ newestEventMs: span.latestEndMs, lastMovedMs: nowMs }] : [],
            nowMs,
          );
          const row = left ?? { pool: span.pool, ...range, ...UNSTARTED, doneToMs: range.fromMs };
          const result = await backfill(store, {
            row,
            nowMs: context.clock.nowMs,
            windowMs: config.windowMs,
            options: config.poolOptions(span.pool),
            progress: () => ({
              watermarkMs: live ? watermarkMs : span.latestEndMs,
              closedToMs: live ? watermarkMs : Number.POSITIVE_INFINITY,
            }),
            onProgress: progress.update,
            signal: context.signal,
          })
            .catch((error: unknown) => {
              if (!context.signal.aborted) throw error;
              throw new EvenshareError('EVS_INTERRUPTED', 'interrupted: "analyze --resume" goes on where it stopped');
            })
            .finally(progress.stop);
          results.push({
            pool: span.pool,
            from: new Date(row.fromMs).toISOString(),
            to: new Date(row.toMs).toISOString(),
            ...result,
          });
        }
        printAnalyzed(context, results, options.json === true);
      } finally {
        await store.close();
      }
    });
}

function checkRange(options: AnalyzeOptions, fromMs: number | null, toMs: number | null): void {
  if (options.resume === true && (fromMs !== null || toMs !== null)) {
    throw new EvenshareError(
      'EVS_USAGE',
      '--resume goes on with the range of the earlier run: leave out --from and --to',
    );
  }
  if (options.via !== undefined && (options.resume === true || options.dataDir !== undefined)) {
    throw new EvenshareError(
      'EVS_USAGE',
      '--via has another process do it, in its own store and over its restarts: leave out --data-dir and --resume',
    );
  }
  if (fromMs !== null && toMs !== null && fromMs >= toMs) {
    throw new EvenshareError('EVS_USAGE', `--from "${options.from}" must be before --to "${options.to}"`);
  }
}

const UNSTARTED = { asked: false, windows: 0, written: 0, expired: 0 } as const;

/** Whoever holds the store can do it. */
function orVia(error: unknown, config: Config): unknown {
  if (!(error instanceof EvenshareError) || error.code !== 'EVS_STORE_LOCKED') return error;
  const remedy = `or have it do this with --via http://127.0.0.1:${config.http.port}`;
  return new EvenshareError(error.code, `${error.message}, ${remedy}`, { cause: error.cause });
}

function rangeOf(
  span: { readonly firstArrivalMs: number; readonly latestEndMs: number },
  fromMs: number | null,
  toMs: number | null,
  windowMs: number,
): Span {
  return {
    fromMs: windowStart(Math.max(fromMs ?? span.firstArrivalMs, span.firstArrivalMs), windowMs),
    toMs: nextWindowStart(Math.min(toMs ?? span.latestEndMs + 1, span.latestEndMs + 1), windowMs),
  };
}

/** Says that a pool is not there, and which are. */
export function noPool(wanted: string | undefined, known: readonly string[]): EvenshareError {
  if (wanted === undefined || known.length === 0) {
    return new EvenshareError('EVS_USAGE', 'the store holds no requests: load a log first, or start a gateway');
  }
  return new EvenshareError(
    'EVS_USAGE',
    `--pool ${JSON.stringify(wanted)} is not in the store: it has ${known.join(', ')}`,
  );
}
