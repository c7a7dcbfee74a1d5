import type { Command } from 'commander';
import {
  analyzeRange,
  DEFAULT_WATERMARK_OPTIONS,
  decideWatermark,
  nextWindowStart,
  readPoolSpans,
  type Span,
  windowStart,
} from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { formatTable, printJson } from '../output.ts';
import { startProgress } from '../progress.ts';
import { openStore } from '../wire.ts';
import { timeOption } from './option-values.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface AnalyzeOptions extends StoreFlags {
  readonly from?: string;
  readonly to?: string;
  readonly pool?: string;
  readonly json?: boolean;
}

interface Analyzed {
  readonly pool: string;
  readonly from: string;
  readonly to: string;
  readonly windows: number;
  readonly written: number;
}

export function addAnalyze(program: Command, context: CliContext): void {
  addStoreOptions(program.command('analyze').description('compute or recompute the windows of a range'))
    .option('--from <time>', 'start; default the first stored request')
    .option('--to <time>', 'end; default the last stored request')
    .option('--pool <name>', 'one pool; default all')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare analyze --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z\n')
    .action(async (options: AnalyzeOptions) => {
      const fromMs = options.from === undefined ? null : timeOption('--from', options.from);
      const toMs = options.to === undefined ? null : timeOption('--to', options.to);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const store = await openStore(config, context);
      try {
        const spans = await readPoolSpans(store, 'jobs');
        const chosen = spans.filter((span) => options.pool === undefined || span.pool === options.pool);
        if (chosen.length === 0)
          throw noPool(
            options.pool,
            spans.map((span) => span.pool),
          );
        const results: Analyzed[] = [];
        for (const span of chosen) {
          const range = rangeOf(span, fromMs, toMs, config.windowMs);
          const nowMs = context.clock.nowMs();
          const progress = startProgress(context, `windows of ${span.pool}`);
          // Nothing has come lately: the sources are closed, and with them every window. Else the job's rule holds.
          const live = nowMs - span.latestEndMs < DEFAULT_WATERMARK_OPTIONS.idleAfterMs;
          const watermarkMs = decideWatermark(
            live ? [{ newestEventMs: span.latestEndMs, lastMovedMs: nowMs }] : [],
            nowMs,
          );
          const result = await analyzeRange(store, {
            ...range,
            pool: span.pool,
            windowMs: config.windowMs,
            options: config.poolOptions(span.pool),
            watermarkMs: live ? watermarkMs : span.latestEndMs,
            closedToMs: live ? watermarkMs : Number.POSITIVE_INFINITY,
            computation: nowMs * 1000,
            onProgress: progress.update,
            signal: context.signal,
          }).finally(progress.stop);
          results.push({
            pool: span.pool,
            from: new Date(range.fromMs).toISOString(),
            to: new Date(range.toMs).toISOString(),
            ...result,
          });
        }
        if (options.json === true) printJson(context, { pools: results });
        else context.stdout.write(describe(results));
      } finally {
        await store.close();
      }
    });
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

function describe(results: readonly Analyzed[]): string {
  return formatTable(results, [
    { title: 'pool', value: (row) => row.pool },
    { title: 'from', value: (row) => row.from },
    { title: 'to', value: (row) => row.to },
    { title: 'windows', value: (row) => String(row.windows), align: 'right' },
    { title: 'changed', value: (row) => String(row.written), align: 'right' },
  ]);
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
