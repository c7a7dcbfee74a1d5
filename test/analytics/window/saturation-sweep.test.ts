import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Saturation, SaturationSweep } from '../../../analytics/window/saturation-sweep.ts';

const WINDOW_MS = 5_000;
const WINDOWS = 3;

const request = fc.record({
  arrivedMs: fc.integer({ min: -3_000, max: WINDOWS * WINDOW_MS + 500 }),
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000 })),
  serviceMs: fc.integer({ min: 0, max: 4_000 }),
  slots: fc.constantFrom(0, 0.25, 0.375, 1, 2, 3),
});

type Given = typeof request extends fc.Arbitrary<infer One> ? One : never;

function swept(given: readonly Given[], slots: number, smallest: number): Saturation[] {
  const sweep = new SaturationSweep(WINDOWS, WINDOW_MS);
  for (const { arrivedMs, waitMs, serviceMs, slots: held } of given) {
    sweep.wait(arrivedMs, arrivedMs + waitMs);
    sweep.hold(arrivedMs + waitMs, arrivedMs + waitMs + serviceMs, held);
  }
  return sweep.saturation(() => ({ slots, smallest }));
}

/** Millisecond by millisecond. */
function counted(given: readonly Given[], slots: number, smallest: number, window: number): Saturation {
  const free: number[] = [];
  const waits: boolean[] = [];
  let waiting = 0;
  let idle = 0;
  for (let atMs = window * WINDOW_MS; atMs < (window + 1) * WINDOW_MS; atMs++) {
    const isIn = (fromMs: number, lengthMs: number) => fromMs <= atMs && atMs < fromMs + lengthMs;
    const busy = given.filter((one) => isIn(one.arrivedMs + one.waitMs, one.serviceMs));
    const left = slots - busy.reduce((sum, one) => sum + one.slots, 0);
    free.push(left);
    waits.push(given.some((one) => isIn(one.arrivedMs, one.waitMs)));
    if (waits.at(-1) !== true) continue;
    waiting++;
    if (left >= smallest - 1e-9) idle += left;
  }
  let steady = 0;
  for (const level of new Set(free)) {
    let since = 0;
    for (const [place, left] of free.entries()) {
      if (left < level - 1e-9) since = 0;
      else if (waits[place] === true) since++;
      steady = Math.max(steady, level * since);
    }
  }
  const whileWaiting = free.filter((_, place) => waits[place] === true).sort((a, b) => a - b);
  const nearlyAlways = whileWaiting[Math.ceil(waiting / 20) - 1] ?? 0;
  return { idleWhileWaitingMs: idle, waitingMs: waiting, steadilyIdleMs: Math.max(steady, nearlyAlways * waiting) };
}

describe('the sweep over waiting requests and slots', () => {
  it('says what counting every millisecond says', () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 12 }),
        fc.constantFrom(0, 1, 2, 4),
        fc.constantFrom(0.25, 1, 2),
        (given, slots, smallest) => {
          const windows = swept(given, slots, smallest);
          const expected = [0, 1, 2].map((window) => counted(given, slots, smallest, window));
          if (expected.every(({ waitingMs }) => waitingMs === 0) && windows.length === 0) return;
          for (const [window, { idleWhileWaitingMs, waitingMs, steadilyIdleMs }] of expected.entries()) {
            expect(windows[window]?.waitingMs).toBe(waitingMs);
            expect(windows[window]?.idleWhileWaitingMs).toBeCloseTo(idleWhileWaitingMs, 2);
            expect(windows[window]?.steadilyIdleMs).toBeCloseTo(steadilyIdleMs, 2);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('does not depend on the order of requests, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 12 }), (given) => {
        expect(swept([...given].reverse(), 4, 0.25)).toEqual(swept(given, 4, 0.25));
      }),
      { numRuns: 100 },
    );
  });
});
