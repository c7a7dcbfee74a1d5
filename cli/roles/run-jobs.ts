import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { startHealth } from './health-role.ts';
import { startJobLeader } from './job-leader.ts';
import { startJobs } from './jobs-role.ts';
import { startReports } from './reports-role.ts';
import { requireServerStore, runRole } from './role-runtime.ts';

/**
 * The minute job, alerts and reports against a store that other processes fill and read. Of several such processes one does
 * them, and the others stand by.
 */
export async function runJobs(context: CliContext, config: Config): Promise<void> {
  requireServerStore(config, 'jobs');
  await runRole(context, config, async (runtime) => {
    /** In the order of their beginning; they end the other way round, so that another process takes over when all is done. */
    const started: { stop(): Promise<void> }[] = [];
    const stop = async (): Promise<void> => {
      for (const part of started.reverse()) await part.stop();
    };
    try {
      const leader = await startJobLeader(context, config, runtime);
      started.push(leader);
      const reports = await startReports(context, config, { ...runtime, leader });
      if (reports !== null) started.push(reports);
      const jobs = startJobs(context, config, { ...runtime, leader, pageUrl: config.pageUrl ?? '' });
      started.push(jobs);
      const notReady = (): string[] => jobs.notReady(context.clock.nowMs());
      const health = await startHealth(context, config, { ...runtime, role: 'jobs', notReady });
      started.push({ stop: () => health.close() });
    } catch (error) {
      await stop();
      throw error;
    }
    return { stop };
  });
}
