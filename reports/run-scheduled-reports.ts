import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantHistoryReader } from '../analytics/index.ts';
import { EvenshareError } from '../scheduler-core/index.ts';
import { calendarMonth } from './calendar/month.ts';
import { type DoneMonths, type DueReports, decideDueReports } from './decide-due-reports.ts';
import type { ReportFormat } from './file-names.ts';
import type { Locale } from './locale.ts';
import { readReportIfAny } from './read-report.ts';
import type { HtmlRenderer } from './render-html.ts';
import type { ReportDocument } from './report-document.ts';
import { writeReport } from './write-report.ts';

export interface ScheduledReportsOptions {
  readonly reader: TenantHistoryReader;
  readonly locale: Locale;
  readonly renderer: HtmlRenderer;
  readonly timeZone: string;
  /** Where the reports go, and the note of the months that are done. */
  readonly folder: string;
  readonly formats: readonly ReportFormat[];
  readonly signal?: AbortSignal;
}

export interface ScheduledMonth {
  readonly month: string;
  readonly state: ReportDocument['state'];
  readonly tenants: number;
  /** Files that were new or had changed. */
  readonly written: number;
}

/** The note of what is done, per time zone, in the folder of the reports. */
const LEDGER_FILE = 'evenshare-reports.json';

/**
 * Makes the reports of all tenants that are due at `nowMs`; call it on a schedule, hourly say. Idempotent: reports whose
 * content has not changed are not written again, and a month is left alone once all its reports are final.
 *
 * Effects, in order: (1) the files of each report, its JSON last, (2) the note that the month is done.
 *
 * @throws EVS_REPORT_UNWRITABLE, EVS_STORE_…, EVS_INTERRUPTED; the next call goes on where this one stopped.
 */
export async function runScheduledReports(nowMs: number, options: ScheduledReportsOptions): Promise<ScheduledMonth[]> {
  const { timeZone, folder } = options;
  const ledger = await readLedger(folder);
  const done: Record<string, 'DRAFT' | 'FINAL'> = { ...ledger[timeZone] };
  const months: ScheduledMonth[] = [];
  for (const due of decideDueReports(nowMs, timeZone, done)) {
    const month = await reportMonth(nowMs, due, options);
    months.push(month);
    if (done[due.month] === month.state) continue;
    done[due.month] = month.state;
    await writeLedger(folder, { ...ledger, [timeZone]: done });
  }
  return months;
}

async function reportMonth(nowMs: number, due: DueReports, options: ScheduledReportsOptions): Promise<ScheduledMonth> {
  const month = calendarMonth(due.month, options.timeZone);
  const range = { fromMs: month.startMs, toMs: month.endMs };
  const progress = await options.reader.progress(range);
  let state: ReportDocument['state'] =
    due.isSettled && progress.every((pool) => pool.hoursNotComputed === 0) ? 'FINAL' : 'DRAFT';
  let tenants = 0;
  let written = 0;
  for (const tenant of (await options.reader.tenants(range)).keys()) {
    if (options.signal?.aborted === true) throw new EvenshareError('EVS_INTERRUPTED', 'the reports were interrupted');
    const request = { tenant, month, pool: null, nowMs, locale: options.locale, progress };
    const document = await readReportIfAny(options.reader, request);
    if (document === null) continue;
    tenants++;
    written += (await writeReport(document, options)).filter((file) => file.isChanged).length;
    if (document.state === 'DRAFT') state = 'DRAFT';
  }
  return { month: due.month, state, tenants, written };
}

async function readLedger(folder: string): Promise<Record<string, DoneMonths>> {
  const text = await readFile(join(folder, LEDGER_FILE), 'utf8').catch(() => '{}');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // A note that cannot be read is no note: reports are made again, and none that is the same is written.
    return {};
  }
  if (typeof content !== 'object' || content === null) return {};
  return Object.fromEntries(Object.entries(content).map(([zone, months]) => [zone, doneMonths(months)]));
}

function doneMonths(value: unknown): DoneMonths {
  if (typeof value !== 'object' || value === null) return {};
  const months: Record<string, 'DRAFT' | 'FINAL'> = {};
  for (const [month, state] of Object.entries(value)) {
    if (/^\d{4}-\d\d$/.test(month) && (state === 'DRAFT' || state === 'FINAL')) months[month] = state;
  }
  return months;
}

async function writeLedger(folder: string, ledger: Readonly<Record<string, DoneMonths>>): Promise<void> {
  const path = join(folder, LEDGER_FILE);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.part`, `${JSON.stringify(ledger, null, 2)}\n`);
    await rename(`${path}.part`, path);
  } catch (cause) {
    throw new EvenshareError('EVS_REPORT_UNWRITABLE', `cannot write to the reports' folder "${folder}"`, { cause });
  }
}
