import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../analytics/window/decide-leader.ts';
import { claimsOf, type JobLease, startJobLease } from '../../../analytics/window/job-lease.ts';
import { EvenshareError } from '../../../scheduler-core/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { type SimulatedProcess, simulateLeases } from './lease-world.ts';

const always = (more: Partial<SimulatedProcess> = {}): SimulatedProcess => ({
  startMs: 0,
  stopMs: null,
  freezes: [],
  delaysMs: [5],
  ...more,
});

const delays = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 2, arbitrary: fc.integer({ min: 2_000, max: 11_000 }) },
    fc.integer({ min: 0, max: 25_000 }),
  ),
  { minLength: 4, maxLength: 30 },
);
const freeze = fc
  .tuple(fc.integer({ min: 0, max: 150_000 }), fc.integer({ min: 1, max: 60_000 }))
  .map(([fromMs, forMs]) => ({ fromMs, toMs: fromMs + forMs }));
const processes = fc.array(
  fc.record({
    startMs: fc.integer({ min: 0, max: 60_000 }),
    stopMs: fc.option(fc.integer({ min: 0, max: 150_000 }).map((ms) => ms + 60_000)),
    freezes: fc.array(freeze, { maxLength: 3 }),
    delaysMs: delays,
  }),
  { minLength: 2, maxLength: 4 },
);

describe('one leader among the processes of a store', () => {
  it('never are there two, however slow the store is and whoever freezes, stops or comes', async () => {
    let moments = 0;
    let led = 0;
    await fc.assert(
      fc.asyncProperty(processes, async (all) => {
        const history = await simulateLeases(all, 200_000);
        for (const { atMs, leaders } of history.moments) expect(leaders.length, `at ${atMs} ms`).toBeLessThan(2);
        moments += history.moments.length;
        led += history.moments.filter(({ leaders }) => leaders.length === 1).length;
      }),
      { numRuns: 300 },
    );
    // Else nothing would have been shown.
    expect(led / moments).toBeGreaterThan(0.2);
  });

  it('one whose answer was slow and whose next renewal comes too late does not lead beside the one that took over', async () => {
    const turnsBefore = 10;
    const delaysMs = Array.from({ length: 400 }, () => 0);
    // Of each turn: the reading there and back, the renewal there and back.
    delaysMs[4 * turnsBefore + 3] = 8_000;
    delaysMs[4 * (turnsBefore + 1) + 2] = 10_000;
    const { moments } = await simulateLeases([always({ delaysMs }), always({ startMs: 100 })], 90_000);
    const leaders = moments.map((moment) => moment.leaders.join());
    expect(leaders).not.toContain('0,1');
    expect(leaders.indexOf('0')).toBeLessThan(leaders.indexOf('1'));
    expect(leaders.lastIndexOf('0')).toBeLessThan(leaders.indexOf('1'));
  });

  it('there is one a lease after the first start, and it stays while others come', async () => {
    const { moments } = await simulateLeases([always(), always({ startMs: 100 }), always({ startMs: 40_000 })], 90_000);
    const settled = moments.filter(({ atMs }) => atMs > LEASE_MS + 4_000);
    expect(settled.length).toBeGreaterThan(50);
    expect(new Set(settled.map(({ leaders }) => leaders.join()))).toEqual(new Set(['0']));
  });

  it('one that stops makes way at the next renewal of the others', async () => {
    const { moments } = await simulateLeases([always({ stopMs: 60_000 }), always({ startMs: 100 })], 90_000);
    const taken = moments.find(({ atMs, leaders }) => atMs > 60_000 && leaders.length === 1);
    expect(taken?.leaders).toEqual([1]);
    expect(taken?.atMs).toBeLessThan(60_000 + 4_000);
  });

  it('one that freezes is followed after the lease, and stands behind when it thaws', async () => {
    const frozen = always({ freezes: [{ fromMs: 60_000, toMs: 100_000 }] });
    const { moments } = await simulateLeases([frozen, always({ startMs: 100 })], 150_000);
    const taken = moments.find(({ atMs, leaders }) => atMs > 60_000 && leaders.includes(1));
    expect(taken?.atMs).toBeLessThan(60_000 + LEASE_MS + 4_000);
    const after = moments.filter(({ atMs }) => atMs >= 100_000);
    expect(new Set(after.map(({ leaders }) => leaders.join()))).toEqual(new Set(['1']));
  });
});

describe('on a real store', () => {
  let temporary: TemporaryStore;
  beforeAll(async () => {
    temporary = await temporaryStore();
  });
  afterAll(async () => temporary.remove());

  it('keeps claims, renewed and given back, whatever their holders are called', async () => {
    const claims = claimsOf(temporary.store);
    const hostile = "a'; DROP TABLE job_leases; --\t\n\\";
    await claims.write({ holder: hostile, term: 2, renewal: 1 }, { isReleased: false });
    await claims.write({ holder: hostile, term: 2, renewal: 2 }, { isReleased: false });
    await claims.write({ holder: 'b', term: 1, renewal: 1 }, { isReleased: false });
    await claims.write({ holder: 'c', term: 1, renewal: 1 }, { isReleased: false });
    await claims.write({ holder: 'c', term: 1, renewal: 2 }, { isReleased: true });
    expect(await claims.read()).toEqual([
      { holder: 'b', term: 1, renewal: 1 },
      { holder: hostile, term: 2, renewal: 2 },
    ]);
  });

  it('waits for a store that is away, says so once, and is not ready before long', async () => {
    let nowMs = 0;
    let isAway = true;
    let turns = 0;
    const troubles: (string | null)[] = [];
    let wake = (): void => {};
    const away = (): Promise<never> => Promise.reject(new EvenshareError('EVS_STORE_UNREACHABLE', 'away'));
    const claims = claimsOf(temporary.store);
    const reached = (turn: number): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          if (turns >= turn) resolve();
        };
        wake();
      });
    const lease: JobLease = startJobLease(
      { read: () => (isAway ? away() : claims.read()), write: claims.write },
      {
        holder: 'd',
        clock: {
          nowMs: () => nowMs,
          sleep: async (durationMs, signal) => {
            if (signal?.aborted === true) return;
            nowMs += durationMs;
            turns++;
            wake();
            // Else time would pass without end.
            await new Promise((resolve) => setImmediate(resolve));
          },
        },
        onTrouble: (failure) => troubles.push(failure === null ? null : failure.message),
      },
    );
    await reached(20);
    expect(troubles).toEqual(['away']);
    expect(lease.isLeader()).toBe(false);
    expect(lease.notReady(nowMs).join()).toMatch(/^the claim to run jobs has not been renewed for \d+ s: away$/);
    isAway = false;
    const back = turns;
    await reached(back + 10);
    expect(troubles).toEqual(['away', null]);
    expect(lease.notReady(nowMs)).toEqual([]);
    // Those of above that nobody renews are dead by now.
    await reached(back + 20);
    expect(lease.isLeader()).toBe(true);
    await lease.stop();
    expect((await claims.read()).map(({ holder }) => holder)).not.toContain('d');
  });
});
