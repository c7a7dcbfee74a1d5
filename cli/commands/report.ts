import type { Command } from 'commander';
import { createTenantHistoryReader, type PoolProgress, type TenantHistoryReader } from '../../analytics/index.ts';
import {
  type CalendarMonth,
  calendarMonth,
  canonicalTimeZone,
  type HtmlRenderer,
  isMonth,
  type Locale,
  openHtmlRenderer,
  openLocale,
  type PoolReport,
  REPORT_FORMATS,
  type ReportDocument,
  type ReportFormat,
  readReport,
  readReportIfAny,
  type WrittenFile,
  writeReport,
} from '../../reports/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { loadConfig } from '../load-config.ts';
import { printable, printJson } from '../output.ts';
import { startProgress } from '../progress.ts';
import { openStore } from '../wire.ts';
import { addStoreOptions, type StoreFlags, withStoreFlags } from './store-flags.ts';

interface ReportOptions extends StoreFlags {
  readonly tenant?: string;
  readonly allTenants?: boolean;
  readonly month: string;
  readonly tz: string;
  readonly pool?: string;
  readonly out: string;
  readonly format: string;
  readonly json?: boolean;
}

/** What the words of the command line ask for, checked. */
interface Wanted {
  /** Null for all. */
  readonly tenant: string | null;
  readonly month: CalendarMonth;
  readonly pool: string | null;
  readonly folder: string;
  readonly formats: readonly ReportFormat[];
}

/** What is said of a report that was made: all but its days, hours and windows, which are in the files. */
type MadeReport = Pick<ReportDocument, 'tenant' | 'state' | 'state_reasons' | 'period' | 'verdict' | 'sha256'> & {
  readonly pools: readonly Pick<PoolReport, 'pool' | 'cost_unit' | 'verdict' | 'totals'>[];
  readonly files: readonly WrittenFile[];
};

export function addReport(program: Command, context: CliContext): void {
  addStoreOptions(program.command('report').description("a tenant's month, as a page, a table and JSON"))
    .requiredOption('--month <yyyy-mm>', 'month of the calendar')
    .option('--tenant <name>', 'the tenant')
    .option('--all-tenants', 'every tenant that has windows in the month')
    .option('--tz <zone>', 'IANA time zone of the calendar', 'UTC')
    .option('--pool <name>', 'one pool; default all that the tenant is in')
    .option('--out <folder>', 'where the files go; made if it is not there', '.')
    .option('--format <list>', `of ${REPORT_FORMATS.join(', ')}, separated by commas`, REPORT_FORMATS.join(','))
    .option('--json', 'print what was made as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  evenshare report --tenant acme --month 2026-11 --tz Europe/Berlin --out reports\n',
    )
    .action(async (options: ReportOptions) => {
      const wanted = wantedOf(options);
      const config = withStoreFlags(await loadConfig(program.opts<GlobalOptions>().config, context.env), options);
      const locale = await openLocale('en');
      const renderer = await openHtmlRenderer(locale);
      const store = await openStore(config, context);
      try {
        const reader = createTenantHistoryReader(store, { windowMs: config.windowMs });
        const reports = await makeReports(context, wanted, { reader, locale, renderer });
        if (options.json === true) printJson(context, summaryOf(wanted, reports));
        else context.stdout.write(reports.map(describe).join(''));
      } finally {
        await store.close();
      }
    });
}

/** @throws EVS_USAGE for words that are none. */
function wantedOf(options: ReportOptions): Wanted {
  if (!isMonth(options.month)) {
    throw new EvenshareError('EVS_USAGE', `--month "${options.month}" is no month: write it as 2026-11`);
  }
  const timeZone = canonicalTimeZone(options.tz);
  if (timeZone === null) {
    throw new EvenshareError(
      'EVS_USAGE',
      `--tz ${JSON.stringify(options.tz)} is no time zone: write an IANA name such as Europe/Berlin, or UTC`,
    );
  }
  if ((options.tenant === undefined) === (options.allTenants !== true)) {
    throw new EvenshareError('EVS_USAGE', 'give either --tenant NAME or --all-tenants');
  }
  return {
    tenant: options.tenant ?? null,
    month: calendarMonth(options.month, timeZone),
    pool: options.pool ?? null,
    folder: options.out,
    formats: formatsOf(options.format),
  };
}

function formatsOf(list: string): ReportFormat[] {
  const formats: ReportFormat[] = [];
  for (const name of list.split(',').map((part) => part.trim())) {
    const format = REPORT_FORMATS.find((known) => known === name);
    if (format === undefined) {
      throw new EvenshareError(
        'EVS_USAGE',
        `--format ${JSON.stringify(name)} is no format: choose of ${REPORT_FORMATS.join(', ')}`,
      );
    }
    formats.push(format);
  }
  return formats;
}

interface Tools {
  readonly reader: TenantHistoryReader;
  readonly locale: Locale;
  readonly renderer: HtmlRenderer;
}

async function makeReports(context: CliContext, wanted: Wanted, tools: Tools): Promise<MadeReport[]> {
  const range = { fromMs: wanted.month.startMs, toMs: wanted.month.endMs };
  const progress = await tools.reader.progress(range);
  const request = { ...wanted, nowMs: context.clock.nowMs(), locale: tools.locale, progress };
  if (wanted.tenant !== null) {
    return [await write(await readReport(tools.reader, { ...request, tenant: wanted.tenant }), wanted, tools.renderer)];
  }
  const tenants = await tools.reader.tenants(range);
  const bar = startProgress(context, 'reports');
  const reports: MadeReport[] = [];
  let done = 0;
  try {
    for (const tenant of tenants.keys()) {
      if (context.signal.aborted) throw new EvenshareError('EVS_INTERRUPTED', 'the reports were interrupted');
      const document = await readReportIfAny(tools.reader, { ...request, tenant });
      if (document !== null) reports.push(await write(document, wanted, tools.renderer));
      bar.update(++done, tenants.size);
    }
  } finally {
    bar.stop();
  }
  if (reports.length === 0) throw nobody(wanted, progress);
  return reports;
}

/** Writes one report and keeps what is said of it, so that the reports of all tenants need the room of one. */
async function write(document: ReportDocument, wanted: Wanted, renderer: HtmlRenderer): Promise<MadeReport> {
  const files = await writeReport(document, { folder: wanted.folder, formats: wanted.formats, renderer });
  const { tenant, state, state_reasons, period, verdict, sha256 } = document;
  const pools = document.pools.map(({ pool, cost_unit, verdict, totals }) => ({ pool, cost_unit, verdict, totals }));
  return { tenant, state, state_reasons, period, verdict, pools, sha256, files };
}

function nobody({ month, pool }: Wanted, progress: readonly PoolProgress[]): EvenshareError {
  if (pool !== null && !progress.some((each) => each.pool === pool)) {
    const known = progress.map((each) => each.pool).join(', ');
    return new EvenshareError(
      'EVS_USAGE',
      `--pool ${JSON.stringify(pool)} is not in the store: it has ${known || 'none'}`,
    );
  }
  const uncomputed = progress.some((each) => each.hoursNotComputed > 0);
  return new EvenshareError(
    'EVS_REPORT_EMPTY',
    `no tenant has windows in ${month.month} (${month.timeZone})${uncomputed ? ': its requests are not computed yet, run "evenshare analyze"' : ''}`,
  );
}

function summaryOf({ month }: Wanted, reports: readonly MadeReport[]): object {
  return {
    month: month.month,
    time_zone: month.timeZone,
    reports: reports.map(({ files, ...report }) => ({
      ...report,
      files: files.map(({ format, path, isChanged }) => ({ format, path, changed: isChanged })),
    })),
  };
}

function describe({ tenant, period, state, verdict, files }: MadeReport): string {
  const paths = files.map((file) => `  ${file.isChanged ? 'wrote' : 'unchanged'} ${printable(file.path)}\n`);
  return `${printable(tenant)}, ${period.month} (${period.time_zone}), ${state}: ${printable(verdict.sentence)}\n${paths.join('')}`;
}
