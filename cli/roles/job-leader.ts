import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { claimsOf, type Store, startJobLease } from '../../analytics/index.ts';
import { type JobLeadership, startLeadership } from '../../ingest/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext } from '../context.ts';
import type { Config } from '../load-config.ts';

/** Whether this process runs the jobs, of all that could. */
export interface JobLeader {
  /** While this process leads: aborts when it does no longer, or is asked to stop. Null while it stands by. */
  term(): AbortSignal | null;
  /** Why this process can neither lead nor stand by. */
  notReady(nowMs: number): string[];
  /** Makes way for another. */
  stop(): Promise<void>;
}

/** How soon a run under way is cut off when the process leads no longer. */
const WATCH_EVERY_MS = 500;

/** The leader among the processes of a fleet: by the membership in a Kafka group where Kafka is configured, else by a lease in the store. */
export async function startJobLeader(
  context: CliContext,
  config: Config,
  parts: { readonly store: Store; readonly log: Logger; readonly registry: Registry },
): Promise<JobLeader> {
  const { log, registry, store } = parts;
  const { clock, signal } = context;
  const { kafka } = config;
  const leadership =
    kafka === null
      ? startJobLease(claimsOf(store), {
          holder: `${hostname()}/${process.pid}/${crypto.randomUUID()}`,
          clock,
          onTrouble: (failure) => logTrouble(log, failure),
        })
      : await startLeadership({
          connection: kafka.connection,
          topic: kafka.topic,
          groupId: `${kafka.groupId}-jobs`,
          clock,
          log,
          sessionTimeoutMs: kafka.sessionTimeoutMs,
        });
  const by = kafka === null ? 'a lease in the store' : `Kafka group ${kafka.groupId}-jobs`;
  return watchLeader(leadership, { clock, signal, log, registry, by });
}

function logTrouble(log: Logger, failure: Error | null): void {
  if (failure === null) {
    log.info({}, 'the claim to run jobs is renewed again');
    return;
  }
  const code = failure instanceof EvenshareError ? failure.code : undefined;
  log.warn({ code }, `the claim to run jobs could not be renewed and will be tried again: ${failure.message}`);
}

/** Says when leadership changes, shows it, and ends the term of a leader that is none any more. */
export function watchLeader(
  leadership: JobLeadership,
  parts: Pick<CliContext, 'clock' | 'signal'> & {
    readonly log: Logger;
    readonly registry: Registry;
    /** What decides, in a few words. */
    readonly by: string;
  },
): JobLeader {
  const { clock, log, by } = parts;
  const stopped = new AbortController();
  let current: { readonly end: () => void; readonly signal: AbortSignal } | null = null;
  const look = (): AbortSignal | null => {
    const leads = leadership.isLeader();
    if (leads && current === null) {
      const over = new AbortController();
      current = { end: () => over.abort(), signal: AbortSignal.any([over.signal, parts.signal]) };
      log.info({ by }, 'this process runs the jobs from now on');
    } else if (!leads && current !== null) {
      current.end();
      current = null;
      log.info({ by }, 'this process runs the jobs no longer');
    }
    return current?.signal ?? null;
  };
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      look();
      await clock.sleep(WATCH_EVERY_MS, stopped.signal);
    }
  };
  log.info({ by }, 'this process stands ready to run the jobs');
  const watching = watch();
  showLeader(parts.registry, () => leadership.isLeader());
  return {
    term: look,
    notReady: (nowMs) => leadership.notReady(nowMs),
    stop: async () => {
      stopped.abort();
      await watching;
      await leadership.stop();
      current?.end();
      current = null;
    },
  };
}

/** Of a process that shares the jobs with nobody. */
export function soleLeader(signal: AbortSignal, registry: Registry): JobLeader {
  showLeader(registry, () => true);
  return { term: () => signal, notReady: () => [], stop: async () => undefined };
}

function showLeader(registry: Registry, leads: () => boolean): void {
  new Gauge({
    name: 'evenshare_job_leader',
    help: 'Whether this process runs the jobs: 1, or 0 while it stands by.',
    registers: [registry],
    collect() {
      this.set(leads() ? 1 : 0);
    },
  });
}
