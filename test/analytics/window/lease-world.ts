import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JobClaim } from '../../../analytics/queries/job-leases.ts';
import { type ClaimStore, type JobLease, startJobLease } from '../../../analytics/window/job-lease.ts';

/** A stretch in which a process does nothing, as under SIGSTOP. */
export interface Freeze {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SimulatedProcess {
  readonly startMs: number;
  /** When it is asked to stop; null: never. */
  readonly stopMs: number | null;
  readonly freezes: readonly Freeze[];
  /** How long the store takes on the way there and back, by turns. */
  readonly delaysMs: readonly number[];
}

export interface LeaseHistory {
  /** Every moment at which somebody did something, with those who called themselves leader then. */
  readonly moments: readonly { readonly atMs: number; readonly leaders: readonly number[] }[];
}

interface Wake {
  readonly atMs: number;
  readonly order: number;
  readonly go: () => void;
}

/**
 * Several processes and their store, in a time of their own: the real lease on a made clock. A frozen process goes on where it
 * was when it thaws; its statement is carried out meanwhile.
 */
export async function simulateLeases(processes: readonly SimulatedProcess[], endMs: number): Promise<LeaseHistory> {
  let nowMs = 0;
  let order = 0;
  const wakes: Wake[] = [];
  const until = (atMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        signal?.removeEventListener('abort', go);
        resolve();
      };
      if (signal?.aborted === true) return go();
      wakes.push({ atMs, order: order++, go });
      signal?.addEventListener('abort', go, { once: true });
    });
  const rows = new Map<string, JobClaim | null>();
  const leases: (JobLease | null)[] = processes.map(() => null);

  const run = async (process: SimulatedProcess, index: number): Promise<void> => {
    let turn = 0;
    const delayMs = (): number => process.delaysMs[turn++ % process.delaysMs.length] ?? 0;
    const thawed = async (): Promise<void> => {
      const freeze = process.freezes.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
      if (freeze !== undefined) await until(freeze.toMs);
    };
    const carried = async <Result>(work: () => Result): Promise<Result> => {
      await until(nowMs + delayMs());
      const result = work();
      await until(nowMs + delayMs());
      await thawed();
      return result;
    };
    const claims: ClaimStore = {
      read: () => carried(() => [...rows.values()].filter((row) => row !== null)),
      write: (claim, { isReleased }) => carried(() => void rows.set(claim.holder, isReleased ? null : claim)),
    };
    const sleep = async (durationMs: number, signal?: AbortSignal): Promise<void> => {
      await until(nowMs + durationMs, signal);
      await thawed();
    };
    await until(process.startMs);
    const lease = startJobLease(claims, {
      holder: `process-${index}`,
      clock: { nowMs: () => nowMs, sleep },
      onTrouble: () => undefined,
    });
    leases[index] = lease;
    if (process.stopMs === null) return;
    await until(process.stopMs);
    await thawed();
    await lease.stop();
  };

  for (const [index, process] of processes.entries()) void run(process, index);
  const moments: { atMs: number; leaders: number[] }[] = [];
  for (;;) {
    // What a wake sets off happens in the same moment.
    await nextTurn();
    const next = wakes.sort((a, b) => a.atMs - b.atMs || a.order - b.order).shift();
    if (next === undefined || next.atMs > endMs) return { moments };
    nowMs = next.atMs;
    next.go();
    await nextTurn();
    moments.push({
      atMs: nowMs,
      leaders: leases.flatMap((lease, index) => (lease?.isLeader() === true ? [index] : [])),
    });
  }
}
