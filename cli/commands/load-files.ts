import type { Command } from 'commander';
import {
  type Adapter,
  type AdapterOptions,
  type BatchWriter,
  findAdapter,
  type LoadReport,
  loadFile,
} from '../../ingest/index.ts';
import type { CliContext } from '../context.ts';
import { startProgress } from '../progress.ts';
import { collect, pairOptions, readMapping } from './option-values.ts';

/** Options of every command that reads log files. */
export interface FileOptions {
  readonly format: string;
  readonly map?: string;
  readonly option: readonly string[];
  readonly pool?: string;
  readonly tenant?: string;
}

export function addFileOptions(command: Command): Command {
  return command
    .argument('<file...>', 'log files, plain, .gz or .zst; - for standard input')
    .option('--format <name>', 'log format; "evenshare formats" lists them', 'evenshare')
    .option('--map <file>', 'YAML mapping: which fields of this log are which (docs/formats.md)')
    .option('--option <key=value>', 'option of the format, repeatable', collect, [])
    .option('--pool <name>', 'pool of records that name none')
    .option('--tenant <name>', 'tenant of a log without tenants');
}

export interface OpenedFormat {
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
}

export async function openFormat(options: FileOptions): Promise<OpenedFormat> {
  const adapter = findAdapter(options.format);
  const adapterOptions = {
    defaultPool: options.pool ?? 'default',
    tenant: options.tenant ?? null,
    options: pairOptions('--option', options.option),
    mapping: await readMapping(options.map),
  };
  // Opened once here, so that a mistake in an option is told before any file is read.
  adapter.open(adapterOptions);
  return { adapter, adapterOptions };
}

/** Loads files one after another and adds up what became of them. However it ends, nothing is under way afterwards. */
export async function loadFiles(
  context: CliContext,
  files: readonly string[],
  format: OpenedFormat,
  writer: BatchWriter,
): Promise<LoadReport> {
  const total = emptyTotal();
  for (const path of files) {
    const progress = startProgress(context, path);
    try {
      const report = await loadFile({
        ...format,
        path,
        stdin: context.stdin,
        writer,
        nowMs: context.clock.nowMs,
        onProgress: progress.update,
        signal: context.signal,
      });
      addReport(total, report);
    } finally {
      progress.stop();
      // A store that closes under an insert leaves pieces of it in a folder that was removed.
      await writer.drain();
    }
  }
  return total;
}

export function emptyTotal(): LoadReport {
  return { accepted: 0, duplicate: 0, conflict: 0, skewed: 0, rejected: {}, samples: [], pools: new Map() };
}

/** Adds what became of one file to what became of others. */
export function addReport(total: LoadReport, report: LoadReport): void {
  total.accepted += report.accepted;
  total.duplicate += report.duplicate;
  total.conflict += report.conflict;
  total.skewed += report.skewed;
  for (const [code, count] of Object.entries(report.rejected))
    total.rejected[code] = (total.rejected[code] ?? 0) + count;
  total.samples.push(...report.samples);
  for (const [pool, span] of report.pools) {
    const known = total.pools.get(pool);
    total.pools.set(pool, {
      firstArrivalMs: Math.min(span.firstArrivalMs, known?.firstArrivalMs ?? span.firstArrivalMs),
      lastArrivalMs: Math.max(span.lastArrivalMs, known?.lastArrivalMs ?? span.lastArrivalMs),
      newestMs: Math.max(span.newestMs, known?.newestMs ?? span.newestMs),
    });
  }
}

/** What was loaded, in two or three lines. */
export function describeLoad(report: LoadReport): string {
  const rejected = Object.values(report.rejected).reduce((sum, count) => sum + count, 0);
  const parts = [
    `accepted ${report.accepted}`,
    `duplicate ${report.duplicate}`,
    `conflict ${report.conflict}`,
    `skewed ${report.skewed}`,
    `rejected ${rejected}`,
  ];
  const reasons = report.samples.map(
    (sample) =>
      `  ${sample.code} ${report.rejected[sample.code] ?? 0} times, first at line ${sample.line}: ${sample.detail}\n`,
  );
  return `${parts.join(', ')}\n${[...new Set(reasons)].join('')}`;
}
