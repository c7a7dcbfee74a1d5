import type { Logger } from 'pino';
import { createTenantHistoryReader, type Store } from '../../analytics/index.ts';
import { openHtmlRenderer, openLocale, runScheduledReports } from '../../reports/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import type { JobLeader } from './job-leader.ts';
import { startSchedule } from './schedule.ts';

/** How often it is looked whether reports are due. */
const REPORTS_CRON = '* * * * *';
/** A few minutes past the hour: the hour's windows are computed by then. */
const PAST_THE_HOUR_MS = 7 * MINUTE_MS;

export interface ReportsRole {
  /** Stops the schedule and waits for the run under way. */
  stop(): Promise<void>;
}

/** Monthly reports of all tenants into a folder, hourly as far as they are due; null when no folder is configured. */
export async function startReports(
  context: CliContext,
  config: Config,
  parts: {
    readonly store: Store;
    readonly log: Logger;
    /** Absent: this process makes the reports, whatever others do. */
    readonly leader?: Pick<JobLeader, 'term'>;
  },
): Promise<ReportsRole | null> {
  const { reports } = config;
  if (reports === null) return null;
  const locale = await openLocale('en');
  const renderer = await openHtmlRenderer(locale);
  const reader = createTenantHistoryReader(parts.store, { windowMs: config.windowMs });
  /** When this process last began to make them in this term; null: not yet. */
  let lastRunMs: number | null = null;
  const run = async (): Promise<void> => {
    const { leader } = parts;
    const signal = leader === undefined ? context.signal : leader.term();
    const nowMs = context.clock.nowMs();
    if (signal === null) lastRunMs = null;
    if (signal === null || !areReportsDue(lastRunMs, nowMs)) return;
    lastRunMs = nowMs;
    try {
      const months = await runScheduledReports(nowMs, {
        reader,
        locale,
        renderer,
        timeZone: reports.timeZone,
        folder: reports.folder,
        formats: reports.formats,
        signal,
      });
      for (const month of months) if (month.written > 0) parts.log.info(month, 'reports written');
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      parts.log.error({}, `the reports failed and will be tried again within the hour: ${message}`);
    }
  };
  const schedule = startSchedule({
    name: 'monthly-reports',
    cron: REPORTS_CRON,
    periodMs: MINUTE_MS,
    clock: context.clock,
    log: parts.log,
    isRunAtStart: true,
    run,
  });
  return { stop: () => schedule.stop() };
}

/** At the start, and from then on once an hour. */
export function areReportsDue(lastRunMs: number | null, nowMs: number): boolean {
  if (lastRunMs === null) return true;
  const hourOf = (atMs: number): number => Math.floor((atMs - PAST_THE_HOUR_MS) / HOUR_MS);
  return hourOf(nowMs) !== hourOf(lastRunMs);
}
