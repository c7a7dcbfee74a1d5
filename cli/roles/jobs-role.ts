import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  type AlertJob,
  type BackfillRunner,
  createAlertJob,
  createBackfillRunner,
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
import { createTurns, type Turns } from './turns.ts';

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

/**
 * The minute job and the alerts, on one schedule: a run that is still under way when the next is due is not doubled. Behind a run
 * that succeeded go the backfills that were asked for, in chunks: between two of them a run that is due takes its turn.
 */
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
  const turns = createTurns();
  const backfills = startBackfills(openRunner(config, { store, log, clock, job, turns }), log);
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
      if (signal === null) return;
      const hasSucceeded = await turns.take(() => runOnce({ job, alerts, state, log, clock, signal }));
      if (hasSucceeded) backfills.goOn(signal);
    },
  });
  return {
    notReady: (nowMs) => {
      term();
      return [...leader.notReady(nowMs), ...state.notReady(nowMs)];
    },
    stop: async () => {
      const stopped = backfills.stop();
      await schedule.stop();
      await stopped;
    },
  };
}

function openRunner(
  config: Config,
  parts: Pick<JobsParts, 'store' | 'log'> & {
    readonly clock: Clock;
    readonly job: FairnessJob;
    readonly turns: Turns;
  },
): BackfillRunner {
  const { store, log, clock, job, turns } = parts;
  return createBackfillRunner(store, {
    windowMs: config.windowMs,
    poolOptions: config.poolOptions,
    nowMs: clock.nowMs,
    watermarkMs: job.watermarkMs,
    inTurn: turns.take,
    onDone: (pool, result) => log.info({ pool, ...result }, 'a backfill is done'),
    onFailure: (pool, error, willRetry) => {
      const outcome = willRetry ? 'was cut off and will be tried again every minute' : 'failed: ask for it again';
      log.error(
        { code: codeOf(error) },
        `the backfill of pool ${JSON.stringify(pool)} ${outcome}: ${messageOf(error)}`,
      );
    },
  });
}

interface RunningBackfills {
  /** Lets those that are left go on, unless they do already. */
  goOn(term: AbortSignal): void;
  /** Waits for the chunk under way; nothing goes on afterwards. */
  stop(): Promise<void>;
}

function startBackfills(runner: BackfillRunner, log: Logger): RunningBackfills {
  const stopped = new AbortController();
  let running: Promise<void> | null = null;
  let isTold = false;
  // One a term: signals made of others live as long as those.
  let until: { readonly term: AbortSignal; readonly signal: AbortSignal } | null = null;
  return {
    goOn: (term) => {
      if (running !== null || stopped.signal.aborted) return;
      if (until?.term !== term) until = { term, signal: AbortSignal.any([term, stopped.signal]) };
      const { signal } = until;
      running = runner
        .run(signal)
        .then(() => {
          isTold = false;
        })
        .catch((error: unknown) => {
          if (signal.aborted || isTold) return;
          isTold = true;
          log.error({ code: codeOf(error) }, `the backfills cannot go on and will try again: ${messageOf(error)}`);
        })
        .finally(() => {
          running = null;
        });
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
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

/** Whether it succeeded; never rejects. */
async function runOnce(parts: {
  readonly job: FairnessJob;
  readonly alerts: AlertJob;
  readonly state: JobState;
  readonly log: Logger;
  readonly clock: Clock;
  /** Aborts at the end of the term, or of the process. */
  readonly signal: AbortSignal;
}): Promise<boolean> {
  const { job, alerts, state, log, clock, signal } = parts;
  const startedMs = clock.nowMs();
  try {
    const result = await job.run(startedMs, signal);
    if (result.written > 0) log.info({ windows: result.windows, written: result.written }, 'windows computed');
    if (signal.aborted) return false;
    const alerted = await alerts.run(clock.nowMs(), signal);
    for (const transition of alerted.transitions) log.warn(transition, 'alert');
    for (const failure of alerted.failed)
      log.error(failure, 'a notification was not delivered and will be tried again');
    state.succeeded(startedMs, clock.nowMs(), result.watermarkMs);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    state.failed(error);
    log.error({ code: codeOf(error) }, `the minute job failed and will try again: ${messageOf(error)}`);
    return false;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const codeOf = (error: unknown): string | undefined => (error instanceof EvenshareError ? error.code : undefined);
