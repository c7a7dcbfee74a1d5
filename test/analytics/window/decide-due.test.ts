import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideDue } from '../../../analytics/window/fairness-job.ts';

const W = 60_000;
const minute = (number: number): number => number * W;
const span = { firstArrivalMs: minute(3) + 10 };

describe('the windows that the job must compute', () => {
  it.each([
    { why: 'all up to the watermark at first', stored: null, watermark: 7.5, ran: null, late: null, due: [3, 7] },
    {
      why: 'those since the last one',
      stored: { computedToMs: minute(5), provisionalFromMs: null },
      watermark: 7,
      ran: 5,
      late: null,
      due: [5, 7],
    },
    {
      why: 'none while no window has passed',
      stored: { computedToMs: minute(7), provisionalFromMs: minute(6) },
      watermark: 7.9,
      ran: 7,
      late: null,
      due: null,
    },
    {
      why: 'with a new one those that are provisional',
      stored: { computedToMs: minute(7), provisionalFromMs: minute(5) },
      watermark: 8,
      ran: 7,
      late: null,
      due: [5, 8],
    },
    {
      why: 'those that a late event touches, at once',
      stored: { computedToMs: minute(7), provisionalFromMs: null },
      watermark: 7.9,
      ran: 7,
      late: 4.5,
      due: [4, 7],
    },
    {
      why: 'of many provisional ones the four newest, when it is not the turn of the others',
      stored: { computedToMs: minute(100), provisionalFromMs: minute(60) },
      watermark: 101,
      ran: 100,
      late: null,
      due: [96, 101],
    },
    {
      why: 'and all of them when it is',
      stored: { computedToMs: minute(103), provisionalFromMs: minute(60) },
      watermark: 104,
      ran: 103,
      late: null,
      due: [60, 104],
    },
    {
      why: 'and all of them in the first run of a process',
      stored: { computedToMs: minute(100), provisionalFromMs: minute(60) },
      watermark: 101,
      ran: null,
      late: null,
      due: [60, 101],
    },
  ])('$why', ({ stored, watermark, ran, late, due }) => {
    const found = decideDue(span, stored, {
      watermarkMs: minute(watermark),
      lateFromMs: late === null ? null : minute(late),
      ranToMs: ran === null ? null : minute(ran),
      windowMs: W,
    });
    expect(found).toEqual(due === null ? null : { fromMs: minute(due[0] ?? 0), toMs: minute(due[1] ?? 0) });
  });

  it('take a request that stays open for an hour to at most a few times its windows, and each at least once in twice its age', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 300 }), fc.integer({ min: 0, max: 1000 }), (openWindows, from) => {
        const lastRun = new Map<number, number>();
        let computed = 0;
        for (let now = from + 1; now <= from + openWindows; now++) {
          const due = decideDue(
            { firstArrivalMs: minute(from) },
            now === from + 1 ? null : { computedToMs: minute(now - 1), provisionalFromMs: minute(from) },
            {
              watermarkMs: minute(now),
              lateFromMs: null,
              ranToMs: now === from + 1 ? null : minute(now - 1),
              windowMs: W,
            },
          );
          for (let start = due?.fromMs ?? 0; start < (due?.toMs ?? 0); start += W) {
            computed++;
            const age = now - start / W;
            const last = lastRun.get(start);
            if (last !== undefined) expect(now - last).toBeLessThanOrEqual(Math.max(1, age, (now - from) / 2));
            lastRun.set(start, now);
          }
          expect(due?.toMs).toBe(minute(now));
        }
        expect(computed).toBeLessThan(openWindows * 16);
      }),
    );
  });
});
