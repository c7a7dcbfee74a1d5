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
  readonly resume?: boolean;
  readonly json?: boolean;
}

interface Analyzed {
  readonly pool: string;
  readonly from: string;
  readonly to: string;
  readonly windows: number;
  readonly written: number;
  readonly expired: number;
}

export function addAnalyze(program: Command, context: CliContext): void {
  addStoreOptions(program.command('analyze').description('compute or recompute the windows of a range'))
    .option('--from <time>', 'start; default the first stored request')
    .option('--to <time>', 'end; default the last stored request')
    .option('--pool <name>', 'one pool; default all')
    .option('--resume', 'go on with what an earlier run did not finish')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare analyze --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z\n')
    .action(async (options: AnalyzeOptions) => {
      const fromMs = options.from === undefined ? null : timeOption('--from', options.from);
      const toMs = options.to === undefined ? null : timeOption('--to', options.to);
      checkRange(options, fromMs, toMs);
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
        const unfinished = options.resume === true ? await readUnfinishedBackfills(store, config.windowMs) : null;
        const results: Analyzed[] = [];
        for (const span of chosen) {
          const left = unfinished?.find(({ pool }) => pool === span.pool);
          if (unfinished !== null && left === undefined) continue;
          const range =
            left === undefined
              ? rangeOf(span, fromMs, toMs, config.windowMs)
              : { fromMs: left.doneToMs, toMs: left.toMs };
          const nowMs = context.clock.nowMs();
          const progress = startProgress(context, `windows of ${span.pool}`);
          // Nothing has come lately: the sources are closed, and with them every window. Else the job's rule holds.
          const live = nowMs - span.latestEndMs < DEFAULT_WATERMARK_OPTIONS.idleAfterMs;
          const watermarkMs = decideWatermark(
            live ? [{ newestEventMs: span.latestEndMs, lastMovedMs: nowMs }] : [],
            nowMs,
          );
          const result = await backfill(store, {
            ...range,
            startedFromMs: left?.fromMs ?? range.fromMs,
            nowMs: context.clock.nowMs,
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
        else if (results.length === 0) context.stdout.write('nothing was left unfinished\n');
        else context.stdout.write(describe(results));
        refuseExpired(results);
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
  if (fromMs !== null && toMs !== null && fromMs >= toMs) {
    throw new EvenshareError('EVS_USAGE', `--from "${options.from}" must be before --to "${options.to}"`);
  }
}

/** Told after what was done: the windows that could be computed are. */
function refuseExpired(results: readonly Analyzed[]): void {
  const [first] = results.filter(({ expired }) => expired > 0);
  if (first === undefined) return;
  throw new EvenshareError(
    'EVS_RANGE_EXPIRED',
    `${first.expired} windows of ${JSON.stringify(first.pool)} keep their earlier figures: requests of theirs are older than retention.requests_days; choose a later --from`,
  );
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
