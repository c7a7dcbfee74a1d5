import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastQuietMs } from '../../cli/demo/simulated-gateway.ts';

const MINUTE_MS = 60_000;

test('the history of a demo begins while no burst is under way, at most six minutes earlier than it was asked to', () => {
  const anyTimeMs = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
  fc.assert(
    fc.property(anyTimeMs, (atMs) => {
      const quietMs = lastQuietMs(atMs);
      // Bursts are the first five minutes of every quarter of an hour.
      expect(Math.floor(quietMs / MINUTE_MS) % 15).toBeGreaterThanOrEqual(5);
      expect(quietMs).toBeLessThanOrEqual(atMs);
      expect(quietMs).toBeGreaterThan(atMs - 6 * MINUTE_MS - 1);
    }),
    { seed: 20_261_130, numRuns: 1_000 },
  );
});
