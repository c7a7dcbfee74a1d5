import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../cli/clock.ts';
import { type Schedule, type ScheduleOptions, startSchedule } from '../../../cli/roles/schedule.ts';

// The real schedule on made time: nothing here waits.

const START_MS = Date.UTC(2026, 10, 30, 14, 5, 1);
const PERIOD_MS = 2_000;

let schedule: Schedule | null = null;
beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(async () => {
  const stopped = schedule?.stop();
  // The longest run that a test leaves under way.
  await vi.advanceTimersByTimeAsync(60_000);
  await stopped;
  schedule = null;
  vi.useRealTimers();
});

function begin(more: Partial<ScheduleOptions> & Pick<ScheduleOptions, 'run'>): void {
  schedule = startSchedule({
    name: 'every-two-seconds',
    cron: '*/2 * * * * *',
    periodMs: PERIOD_MS,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    ...more,
  });
}

/** Runs that last as long as the test says. */
function lasting(durationMs: () => number) {
  const runs: { readonly fromMs: number; toMs: number | null }[] = [];
  const run = async (): Promise<void> => {
    const one: (typeof runs)[number] = { fromMs: Date.now() - START_MS, toMs: null };
    runs.push(one);
    await systemClock.sleep(durationMs());
    one.toMs = Date.now() - START_MS;
  };
  return { runs, run };
}

describe('a schedule', () => {
  it('runs at each of its moments', async () => {
    const { runs, run } = lasting(() => 10);
    begin({ run });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs.map(({ fromMs }) => fromMs)).toEqual([1_000, 3_000, 5_000, 7_000, 9_000]);
  });

  it('neither doubles nor starves runs that last longer than its period', async () => {
    const { runs, run } = lasting(() => 4_500);
    let overlaps = 0;
    begin({ run, onOverlap: () => overlaps++ });
    await vi.advanceTimersByTimeAsync(60_000);
    // Each begins at the first moment after the end of the one before: every third of them.
    expect(runs.map(({ fromMs }) => fromMs)).toEqual(Array.from({ length: 10 }, (_, index) => 1_000 + index * 6_000));
    for (const [index, { fromMs }] of runs.entries()) expect(runs[index - 1]?.toMs ?? 0).toBeLessThanOrEqual(fromMs);
    expect(overlaps).toBe(20);
  });

  it('waits for a run that lasts for hours, and goes on after it', async () => {
    let durationMs = 3 * 3_600_000;
    const { runs, run } = lasting(() => durationMs);
    begin({ run });
    await vi.advanceTimersByTimeAsync(2_000);
    durationMs = 10;
    await vi.advanceTimersByTimeAsync(3 * 3_600_000 - 2_000);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(runs.length).toBeGreaterThan(1);
  });

  it('makes up for a moment that the process was too busy for', async () => {
    const { runs, run } = lasting(() => 10);
    begin({ run });
    // Blocked over two moments, and woken 1.9 s after the second.
    vi.setSystemTime(START_MS + 3_000 + 1_900);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(1);
  });

  it('goes on within a few periods when the clock is set back by hours', async () => {
    const { runs, run } = lasting(() => 10);
    begin({ run });
    await vi.advanceTimersByTimeAsync(4_000);
    vi.setSystemTime(START_MS - 2 * 3_600_000);
    const before = runs.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runs.length - before).toBeGreaterThan(3);
  });

  it('does not double a run when it is set anew meanwhile', async () => {
    const { runs, run } = lasting(() => 30_000);
    begin({ run });
    await vi.advanceTimersByTimeAsync(2_000);
    vi.setSystemTime(START_MS - 2 * 3_600_000);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(runs).toHaveLength(1);
  });

  it('begins with a run where that is asked for', async () => {
    const { runs, run } = lasting(() => 10);
    begin({ run, isRunAtStart: true });
    await vi.advanceTimersByTimeAsync(500);
    expect(runs.map(({ fromMs }) => fromMs)).toEqual([0]);
  });

  it('waits at its end for the run under way, and begins none afterwards', async () => {
    const { runs, run } = lasting(() => 3_000);
    begin({ run });
    await vi.advanceTimersByTimeAsync(1_500);
    let isStopped = false;
    const stopping = schedule?.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isStopped).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    await stopping;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runs).toHaveLength(1);
  });
});
