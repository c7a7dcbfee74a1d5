import { schedule } from 'node-cron';
import type { Logger } from 'pino';
import { createTenantHistoryReader, type Store } from '../../analytics/index.ts';
import { openHtmlRenderer, openLocale, runScheduledReports } from '../../reports/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { quietLogger } from './quiet-logger.ts';

/** A few minutes past the hour: the hour's windows are computed by then. */
const REPORTS_CRON = '7 * * * *';

export interface ReportsRole {
  /** Stops the schedule and waits for the run under way. */
  stop(): Promise<void>;
}

/** Monthly reports of all tenants into a folder, hourly as far as they are due; null when no folder is configured. */
export async function startReports(
  context: CliContext,
  config: Config,
  parts: { readonly store: Store; readonly log: Logger },
): Promise<ReportsRole | null> {
  const { reports } = config;
  if (reports === null) return null;
  const locale = await openLocale('en');
  const renderer = await openHtmlRenderer(locale);
  const reader = createTenantHistoryReader(parts.store, { windowMs: config.windowMs });
  const run = async (): Promise<void> => {
    try {
      const months = await runScheduledReports(context.clock.nowMs(), {
        reader,
        locale,
        renderer,
        timeZone: reports.timeZone,
        folder: reports.folder,
        formats: reports.formats,
        signal: context.signal,
      });
      for (const month of months) if (month.written > 0) parts.log.info(month, 'reports written');
    } catch (error) {
      if (context.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      parts.log.error({}, `the reports failed and will be tried again within the hour: ${message}`);
    }
  };
  let running = run();
  const task = schedule(
    REPORTS_CRON,
    () => {
      running = run();
      return running;
    },
    { name: 'monthly-reports', noOverlap: true, timezone: 'UTC', logger: quietLogger(parts.log) },
  );
  return {
    stop: async () => {
      await task.stop();
      await running;
    },
  };
}
