import { SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { type RecordOutcome, type Rejection, reject } from '../event/decision-event.ts';
import { parseDecision } from '../event/parse-event.ts';
import { EARLIEST_MS, LATEST_MS } from '../event/parse-time.ts';
import type { Adapter, RawRecord } from './adapter.ts';
import { checkCommonOptions, collectMistakes, readStartMs, standInTenant, withProvenance } from './adapter-options.ts';
import { ABSENT } from './trace-known.ts';

/** The fields read, by their position in a line (Standard Workload Format 2.2, fields 1 to 18; −1 means unknown). */
const FIELD = {
  job: 0,
  submitS: 1,
  waitS: 2,
  runS: 3,
  allocated: 4,
  requested: 7,
  status: 10,
  user: 11,
} as const;
const FIELD_COUNT = 18;
const NUMBER = /^-?\d+(\.\d+)?$/;
const UNIX_START_TIME = /^;\s*UnixStartTime:\s*(\d+)/;

interface Job {
  readonly id: string;
  readonly user: string;
  readonly submitS: number;
  /** Null: unknown. */
  readonly waitS: number | null;
  readonly runS: number | null;
  readonly processors: number | null;
  /** 1 completed, 0 failed, 5 cancelled, 2 to 4 parts of a checkpointed job, −1 unknown. */
  readonly statusCode: number;
}

/** Null when a field is missing or no number. */
function readJob(text: string): Job | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length < FIELD_COUNT || !fields.every((field) => NUMBER.test(field))) return null;
  const at = (index: number): number => Number(fields[index]);
  const known = (index: number): number | null => (at(index) < 0 ? null : at(index));
  const processors = at(FIELD.allocated) > 0 ? at(FIELD.allocated) : at(FIELD.requested);
  return {
    id: fields[FIELD.job] ?? '',
    user: fields[FIELD.user] ?? '',
    submitS: at(FIELD.submitS),
    waitS: known(FIELD.waitS),
    runS: known(FIELD.runS),
    processors: processors > 0 ? processors : null,
    statusCode: at(FIELD.status),
  };
}

function statusOf(code: number): 'ok' | 'error' | 'cancelled' | null {
  switch (code) {
    case 1:
    case 3:
      return 'ok';
    case 0:
    case 4:
      return 'error';
    case 5:
      return 'cancelled';
    default:
      return null;
  }
}

function isCancelledBeforeStart(job: Job): boolean {
  return job.statusCode === 5 && (job.runS === null || job.runS === 0);
}

/** The job as a request in the wire form: `startMs` is the moment from which the log counts its seconds. */
function requestOf(job: Job, tenant: string, startMs: number): Readonly<Record<string, unknown>> {
  const atMs = (seconds: number): number => startMs + Math.round(seconds * SECOND_MS);
  const request = {
    request_id: job.id,
    tenant,
    arrived_at: atMs(job.submitS),
    outcome: 'admitted',
    slots: job.processors,
    status: statusOf(job.statusCode),
  };
  if (job.waitS === null) return request;
  const leftQueueS = job.submitS + job.waitS;
  if (isCancelledBeforeStart(job)) return { ...request, completed_at: atMs(leftQueueS) };
  const completedAtMs = job.runS === null ? null : atMs(leftQueueS + job.runS);
  return { ...request, dispatched_at: atMs(leftQueueS), completed_at: completedAtMs };
}

function rejectLine(record: RawRecord): Rejection {
  if (record.isUnterminated === true) {
    const detail = 'the last line has no newline and no whole job: it was cut off, or is still being written';
    return reject('torn_line', detail);
  }
  const detail = `a job has ${FIELD_COUNT} numbers separated by blanks (Standard Workload Format 2.2)`;
  return reject('wrong_columns', detail);
}

/** The moment that a header comment names, in epoch ms; null when the line names none that can be real. */
function startOfComment(text: string): number | null {
  const seconds = UNIX_START_TIME.exec(text)?.[1];
  if (seconds === undefined) return null;
  const startMs = Number(seconds) * SECOND_MS;
  return startMs >= EARLIEST_MS && startMs < LATEST_MS ? startMs : null;
}

/**
 * Standard Workload Format 2.2 (Parallel Workloads Archive). The comment `; UnixStartTime:` gives the date of second 0;
 * where it has no usable value, `--option start=TIME` does. The tenant is the user's number as in the file (unknown users:
 * `--tenant` or `-`), `slots` are the processors allocated (else requested), the cost follows as slots × service time.
 *
 * A job cancelled before it started gave up: it has a completion and no dispatch. A wait of −1 is unknown (`absent`),
 * and with it when the job started and ended. Status 1 and 3 are `ok`, 0 and 4 `error`, 5 `cancelled`.
 *
 * The function that `open` returns remembers the start time from the header: one per file.
 */
export const swfAdapter: Adapter = {
  name: 'swf',
  summary: 'Standard Workload Format 2.2: batch jobs with users, waits and processors',
  framing: 'lines',
  costUnit: 'service_ms',
  example:
    '; UnixStartTime: 1027839845\n' +
    '    4   179350  99808 143967    2 142977    -1    2 144000    -1  1   3   1  -1 -1  1 -1 -1',
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'measured',
    dispatched_at: 'measured',
    completed_at: 'measured',
    status: 'measured',
    slots: 'measured',
    cost: 'derived',
  },
  known: {
    tenant: { says: 'user', provenance: 'measured' },
    arrival: { says: 'submit time', provenance: 'measured' },
    decision: ABSENT,
    wait: { says: 'wait time', provenance: 'measured' },
    service: { says: 'run time', provenance: 'measured' },
    cost: { says: 'processors × run time', provenance: 'derived' },
    retry: ABSENT,
  },
  isPublicTrace: true,
  open: (options) => {
    const mistakes = collectMistakes('swf');
    checkCommonOptions(options, mistakes, { options: ['start'], mapping: false });
    const fallbackMs = readStartMs(options, mistakes, null);
    mistakes.throwIfAny();
    const standIn = standInTenant(options);
    const parse = { defaultPool: options.defaultPool, defaultTenant: null };
    let startMs = fallbackMs;
    return (record): RecordOutcome => {
      const text = record.text.trimStart();
      if (text === '') return { kind: 'skip' };
      if (text.startsWith(';')) {
        startMs = startOfComment(text) ?? startMs;
        return { kind: 'skip' };
      }
      const job = readJob(text);
      if (job === null) return rejectLine(record);
      if (startMs === null) {
        return reject('missing_field', 'UnixStartTime is missing in the header: give --option start=TIME');
      }
      const hasUser = !job.user.startsWith('-');
      const outcome = parseDecision(requestOf(job, hasUser ? job.user : standIn.tenant, startMs), parse);
      return withProvenance(outcome, {
        tenantProvenance: hasUser ? null : standIn.provenance,
        waitProvenance: job.waitS === null ? 'absent' : null,
      });
    };
  },
};
