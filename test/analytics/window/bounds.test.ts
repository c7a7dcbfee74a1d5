import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lastWindowEnd,
  nextWindowStart,
  planChunks,
  type Span,
  windowStart,
} from '../../../analytics/window/bounds.ts';

const MINUTE_MS = 60_000;
const BASE_MS = 1_790_848_800_000;

describe('windows of a length', () => {
  it.each([
    [BASE_MS, BASE_MS, BASE_MS, BASE_MS, 'a boundary begins a window and ends one'],
    [BASE_MS + 1, BASE_MS, BASE_MS, BASE_MS + MINUTE_MS, 'a moment inside'],
    [BASE_MS - 1, BASE_MS - MINUTE_MS, BASE_MS - MINUTE_MS, BASE_MS, 'the last moment of one'],
    [0, 0, 0, 0, 'the epoch'],
    [-1, -MINUTE_MS, -MINUTE_MS, 0, 'before the epoch'],
  ])('%d lies in %d, after the end %d, before the start %d (%s)', (atMs, start, end, next) => {
    expect(windowStart(atMs, MINUTE_MS)).toBe(start);
    expect(lastWindowEnd(atMs, MINUTE_MS)).toBe(end);
    expect(nextWindowStart(atMs, MINUTE_MS) + 0).toBe(next);
  });
});

const windowMs = fc.constantFrom(1_000, 10_000, MINUTE_MS, 5 * MINUTE_MS);
const offset = fc.integer({ min: 0, max: 40 * MINUTE_MS });
const plan = windowMs.chain((length) =>
  fc.record({
    windowMs: fc.constant(length),
    range: fc
      .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 300 }))
      .map(([from, windows]) => ({ fromMs: BASE_MS + from * length, toMs: BASE_MS + (from + windows) * length })),
    active: fc
      .array(fc.tuple(offset, fc.integer({ min: 1, max: 20 * MINUTE_MS })), { maxLength: 5 })
      .map((spans) =>
        spans
          .map(([from, lengthMs]) => ({ fromMs: BASE_MS + from, toMs: BASE_MS + from + lengthMs }))
          .sort((a, b) => a.fromMs - b.fromMs),
      ),
    perMinute: fc
      .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 500 })), {
        selector: ([at]) => at,
        maxLength: 40,
      })
      .map((minutes) =>
        minutes.sort(([a], [b]) => a - b).map(([at, requests]) => ({ minuteMs: BASE_MS + at * MINUTE_MS, requests })),
      ),
    maxRows: fc.integer({ min: 1, max: 1_500 }),
    maxWindows: fc.integer({ min: 1, max: 60 }),
  }),
);

function windowsOf(spans: readonly Span[], lengthMs: number): number[] {
  return spans.flatMap(({ fromMs, toMs }) =>
    Array.from({ length: (toMs - fromMs) / lengthMs }, (_, index) => fromMs + index * lengthMs),
  );
}

/** Start of every window of a range that touches an active span, one by one. */
function activeWindows(range: Span, active: readonly Span[], lengthMs: number): number[] {
  return windowsOf([range], lengthMs).filter((start) =>
    active.some((span) => span.fromMs < start + lengthMs && span.toMs > start),
  );
}

describe('chunks of a range', () => {
  it('cover every active window once, in order, and no other', () => {
    fc.assert(
      fc.property(plan, (given) => {
        const chunks = planChunks(given.range, given.active, given.perMinute, given);
        expect(windowsOf(chunks, given.windowMs)).toEqual(activeWindows(given.range, given.active, given.windowMs));
        for (const { fromMs, toMs } of chunks) {
          expect(fromMs).toBeLessThan(toMs);
          expect([fromMs % given.windowMs, toMs % given.windowMs]).toEqual([0, 0]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('keep to the number of windows, and to the rows unless one window has more by itself', () => {
    fc.assert(
      fc.property(plan, (given) => {
        for (const { fromMs, toMs } of planChunks(given.range, given.active, given.perMinute, given)) {
          const windows = (toMs - fromMs) / given.windowMs;
          expect(windows).toBeLessThanOrEqual(given.maxWindows);
          if (windows === 1 || given.windowMs < MINUTE_MS) continue;
          const rows = given.perMinute
            .filter(({ minuteMs }) => minuteMs >= fromMs && minuteMs < toMs)
            .reduce((sum, { requests }) => sum + requests, 0);
          expect(rows).toBeLessThanOrEqual(given.maxRows);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are not cut without need', () => {
    const range = { fromMs: BASE_MS, toMs: BASE_MS + 10 * MINUTE_MS };
    const limits = { windowMs: MINUTE_MS, maxRows: 100, maxWindows: 100 };
    const perMinute = Array.from({ length: 10 }, (_, at) => ({ minuteMs: BASE_MS + at * MINUTE_MS, requests: 10 }));
    expect(planChunks(range, [range], perMinute, limits)).toEqual([range]);
    expect(planChunks(range, [], perMinute, limits)).toEqual([]);
    expect(planChunks(range, [range], perMinute, { ...limits, maxRows: 50 }).length).toBe(2);
  });
});
