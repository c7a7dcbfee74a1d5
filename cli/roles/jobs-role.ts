import { schedule } from 'node-cron';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
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
import { EvenshareError, MINUTE_MS, seededRandom } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';
import { quietLogger } from './quiet-logger.ts';

/** How often the job looks whether a window is due: one is there a few seconds after the watermark passed it. */
const JOB_CRON = '*/2 * * * * *';
const LATE_CHECK_EVERY_MS = MINUTE_MS;
/** Without a run that succeeded for so long, the process is not ready. */
const JOB_STALL_MS = 2 * MINUTE_MS;

export interface JobsRole {
  /** Why the job is not doing its work; empty while it does. */
  notReady(nowMs: number): string[];
  /** Stops the schedule and waits for the run under way. */
  stop(): Promise<void>;
}

/** The minute job and the alerts, on one schedule: a run that is still under way when the next is due is not doubled. */
export function startJobs(
  context: CliContext,
  config: Config,
  parts: { readonly store: Store; readonly log: Logger; readonly registry: Registry; readonly pageUrl: string },
): JobsRole {
  const { store, log, registry } = parts;
  const job = createFairnessJob(store, {
    windowMs: config.windowMs,
    poolOptions: config.poolOptions,
    watermark: DEFAULT_WATERMARK_OPTIONS,
    lateCheckEveryMs: LATE_CHECK_EVERY_MS,
  });
  const alerts = openAlerts(context, config, store, parts.pageUrl);
  const state = new JobState(registry, context.clock.nowMs());
  let running: Promise<void> = Promise.resolve();
  const task = schedule(
    JOB_CRON,
    () => {
      running = runOnce(context, { job, alerts, state, log });
      return running;
    },
    { name: 'minute-job', noOverlap: true, timezone: 'UTC', logger: quietLogger(log) },
  );
  return {
    notReady: (nowMs) => state.notReady(nowMs),
    stop: async () => {
      await task.stop();
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

async function runOnce(
  context: CliContext,
  parts: { readonly job: FairnessJob; readonly alerts: AlertJob; readonly state: JobState; readonly log: Logger },
): Promise<void> {
  const { job, alerts, state, log } = parts;
  const startedMs = context.clock.nowMs();
  try {
    const result = await job.run(startedMs, context.signal);
    if (result.written > 0) log.info({ windows: result.windows, written: result.written }, 'windows computed');
    const alerted = await alerts.run(context.clock.nowMs(), context.signal);
    for (const transition of alerted.transitions) log.warn(transition, 'alert');
    for (const failure of alerted.failed)
      log.error(failure, 'a notification was not delivered and will be tried again');
    state.succeeded(startedMs, context.clock.nowMs(), result.watermarkMs);
  } catch (error) {
    if (context.signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    state.failed(message);
    const code = error instanceof EvenshareError ? error.code : undefined;
    log.error({ code }, `the minute job failed and will try again: ${message}`);
  }
}

/** What the job did last, for readiness and metrics. */
class JobState {
  #lastSuccessMs: number;
  #lastError: string | null = null;
  readonly #watermark: Gauge;
  readonly #duration: Gauge;

  constructor(registry: Registry, startedMs: number) {
    this.#lastSuccessMs = startedMs;
    this.#watermark = new Gauge({
      name: 'evenshare_job_watermark_seconds',
      help: 'Epoch seconds up to which every pool is expected to be complete.',
      registers: [registry],
    });
    this.#duration = new Gauge({
      name: 'evenshare_job_duration_seconds',
      help: 'How long the last run of the minute job took.',
      registers: [registry],
    });
  }

  succeeded(startedMs: number, nowMs: number, watermarkMs: number | null): void {
    this.#lastSuccessMs = nowMs;
    this.#lastError = null;
    this.#duration.set((nowMs - startedMs) / 1000);
    if (watermarkMs !== null) this.#watermark.set(watermarkMs / 1000);
  }

  failed(message: string): void {
    this.#lastError = message;
  }

  notReady(nowMs: number): string[] {
    const stalledMs = nowMs - this.#lastSuccessMs;
    if (stalledMs < JOB_STALL_MS) return [];
    const why = this.#lastError === null ? '' : `: ${this.#lastError}`;
    return [`the minute job has not succeeded for ${Math.round(stalledMs / 1000)} s${why}`];
  }
}
