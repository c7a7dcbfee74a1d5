import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideGatherMs, type FlushSituation } from '../../../ingest/batch/flush-policy.ts';

const LIMITS = { everyMs: 100, fullEvents: 1_000 };

describe('how long an insert waits for company', () => {
  const CASES: readonly (FlushSituation & { readonly why: string; readonly waitMs: number })[] = [
    { why: 'the first ever goes at once', nowMs: 5, lastStartMs: null, events: 1, waitMs: 0 },
    { why: 'after a quiet time too', nowMs: 1_000, lastStartMs: 900, events: 1, waitMs: 0 },
    {
      why: 'soon after another it waits for the rest of the time',
      nowMs: 1_000,
      lastStartMs: 970,
      events: 1,
      waitMs: 70,
    },
    { why: 'a full one does not', nowMs: 1_000, lastStartMs: 970, events: 1_000, waitMs: 0 },
    {
      why: 'the clock was set back an hour: no longer than ever',
      nowMs: 1_000,
      lastStartMs: 3_601_000,
      events: 1,
      waitMs: 100,
    },
  ];
  it.each(CASES)('$why', ({ waitMs, ...situation }) => {
    expect(decideGatherMs(situation, LIMITS)).toBe(waitMs);
  });

  it('is never negative and never over the limit, whatever the clock says', () => {
    fc.assert(
      fc.property(fc.integer(), fc.option(fc.integer(), { nil: null }), fc.nat(), (nowMs, lastStartMs, events) => {
        const waitMs = decideGatherMs({ nowMs, lastStartMs, events }, LIMITS);
        return waitMs >= 0 && waitMs <= LIMITS.everyMs;
      }),
    );
  });
});
