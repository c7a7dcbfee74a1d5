import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  type AlertJob,
  createAlertJob,
  createFairnessJob,
  DEFAULT_WATERMARK_OPTIONS,
  type FairnessJob,
  type Notifier,
  type Store,
  stdoutNotifier,
  webhookNotifier,
} from '../../analytics/index.ts';
import { EvenshareError, MINUTE_MS, SECOND_MS, seededRandom } from '../../scheduler-core/kernel/index.ts';
import type { Clock } from '../clock.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { type JobLeader, soleLeader } from './job-leader.ts';
import { JobState } from './job-state.ts';
import { startSchedule } from './schedule.ts';

/** How often the job looks whether a window is due: one is there a few seconds after the watermark passed it. */
const JOB_CRON = '*/2 * * * * *';
const JOB_EVERY_MS = 2 * SECOND_MS;
const LATE_CHECK_EVERY_MS = MINUTE_MS;

export interface JobsRole {
  /** Why the job is not doing its work; empty while it does, and while this process stands by. */
  notReady(nowMs: number): string[];
  /** Stops the schedule and waits for the run under way. */
  stop(): Promise<void>;
}

export interface JobsParts {
  readonly store: Store;
  readonly log: Logger;
  readonly registry: Registry;
  readonly pageUrl: string;
  /** Absent: this process shares its store's jobs with nobody. */
  readonly leader?: JobLeader;
}

/** The minute job and the alerts, on one schedule: a run that is still under way when the next is due is not doubled. */
export function startJobs(context: CliContext, config: Config, parts: JobsParts): JobsRole {
  const { store, log, registry } = parts;
  const { clock } = context;
  const leader = parts.leader ?? soleLeader(context.signal, registry);
  const job = createFairnessJob(store, {
    windowMs: config.windowMs,
    poolOptions: config.poolOptions,
    watermark: DEFAULT_WATERMARK_OPTIONS,
    lateCheckEveryMs: LATE_CHECK_EVERY_MS,
  });
  const alerts = openAlerts(context, config, store, parts.pageUrl);
  const state = new JobState(registry, clock.nowMs());
  /** Null while another process leads. */
  const term = (): AbortSignal | null => {
    const signal = leader.term();
    if (signal === null) state.standsBy();
    else state.leads(clock.nowMs());
    return signal;
  };
  term();
  const schedule = startSchedule({
    name: 'minute-job',
    cron: JOB_CRON,
    periodMs: JOB_EVERY_MS,
    clock,
    log,
    onOverlap: () => state.overlapped(),
    run: async () => {
      const signal = term();
      if (signal !== null) await runOnce({ job, alerts, state, log, clock, signal });
    },
  });
  return {
    notReady: (nowMs) => {
      term();
      return [...leader.notReady(nowMs), ...state.notReady(nowMs)];
    },
    stop: () => schedule.stop(),
  };
}

/** The receivers that the configuration names. */
export function openNotifiers(context: CliContext, config: Config): Notifier[] {
  const { stdout, webhook } = config.alerts;
  return [
    ...(stdout ? [stdoutNotifier((line) => context.stdout.write(line))] : []),
    ...(webhook === null ? [] : [webhookNotifier(webhook)]),
  ];
}

function openAlerts(context: CliContext, config: Config, store: Store, pageUrl: string): AlertJob {
  return createAlertJob(store, {
    windowMs: config.windowMs,
    rules: config.alerts.rules,
    notifiers: openNotifiers(context, config),
    // Chance only spreads retries out.
    random: seededRandom(context.clock.nowMs() % 2 ** 32),
    pageUrl,
  });
}

async function runOnce(parts: {
  readonly job: FairnessJob;
  readonly alerts: AlertJob;
  readonly state: JobState;
  readonly log: Logger;
  readonly clock: Clock;
  /** Aborts at the end of the term, or of the process. */
  readonly signal: AbortSignal;
}): Promise<void> {
  const { job, alerts, state, log, clock, signal } = parts;
  const startedMs = clock.nowMs();
  try {
    const result = await job.run(startedMs, signal);
    if (result.written > 0) log.info({ windows: result.windows, written: result.written }, 'windows computed');
    if (signal.aborted) return;
    const alerted = await alerts.run(clock.nowMs(), signal);
    for (const transition of alerted.transitions) log.warn(transition, 'alert');
    for (const failure of alerted.failed)
      log.error(failure, 'a notification was not delivered and will be tried again');
    state.succeeded(startedMs, clock.nowMs(), result.watermarkMs);
  } catch (error) {
    if (signal.aborted) return;
    state.failed(error);
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof EvenshareError ? error.code : undefined;
    log.error({ code }, `the minute job failed and will try again: ${message}`);
  }
}
