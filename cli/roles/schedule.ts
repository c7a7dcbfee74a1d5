import { schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { quietLogger } from './quiet-logger.ts';

export interface ScheduleOptions {
  readonly name: string;
  /** In UTC. */
  readonly cron: string;
  /** How far apart the moments of `cron` lie, ms. */
  readonly periodMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Begins with a run, whatever the time. Default false. */
  readonly isRunAtStart?: boolean;
  /** Never rejects. */
  readonly run: () => Promise<void>;
  /** A moment came while a run was under way. */
  readonly onOverlap?: () => void;
}

export interface Schedule {
  /** Ends the schedule and waits for the run under way. */
  stop(): Promise<void>;
}

/** So many periods without a sign of the schedule, and it is set anew. */
const SILENT_PERIODS = 3;

/**
 * Runs on a schedule, one run at a time. A moment that comes while a run is under way is passed over; the next one after
 * its end counts. A moment that the process was too busy for is made up for as soon as it is not, and a clock that is set
 * back does not hold runs up until it is where it was.
 */
export function startSchedule(options: ScheduleOptions): Schedule {
  const { name, cron, periodMs, clock, log, run, onOverlap } = options;
  const stopped = new AbortController();
  let running: Promise<void> | null = null;
  let silentPeriods = 0;
  const tick = (): void => {
    silentPeriods = 0;
    if (running !== null) {
      onOverlap?.();
      return;
    }
    running = run().finally(() => {
      running = null;
    });
  };
  // Overlaps are looked after here: a schedule that is set anew would not know of the run under way.
  const arm = () =>
    schedule(cron, tick, {
      name,
      noOverlap: true,
      timezone: 'UTC',
      // The default of a second would drop what the process was too busy for.
      missedExecutionTolerance: periodMs,
      logger: quietLogger(log),
    });
  let task = arm();
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(periodMs, stopped.signal);
      if (stopped.signal.aborted) return;
      if (++silentPeriods < SILENT_PERIODS) continue;
      silentPeriods = 0;
      await task.destroy();
      task = arm();
    }
  };
  const watching = watch();
  if (options.isRunAtStart === true) tick();
  return {
    stop: async () => {
      stopped.abort();
      await watching;
      await task.destroy();
      await running;
    },
  };
}
