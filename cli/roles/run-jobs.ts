import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { startHealth } from './health-role.ts';
import { startJobs } from './jobs-role.ts';
import { startReports } from './reports-role.ts';
import { requireServerStore, runRole } from './role-runtime.ts';

/** The minute job, alerts and reports against a store that other processes fill and read. */
export async function runJobs(context: CliContext, config: Config): Promise<void> {
  requireServerStore(config, 'jobs');
  await runRole(context, config, async (runtime) => {
    const jobs = startJobs(context, config, { ...runtime, pageUrl: config.pageUrl ?? '' });
    const reports = await startReports(context, config, runtime);
    const health = await startHealth(context, config, {
      ...runtime,
      role: 'jobs',
      notReady: () => jobs.notReady(context.clock.nowMs()),
    });
    return {
      stop: async () => {
        await health.close();
        await jobs.stop();
        await reports?.stop();
      },
    };
  });
}
