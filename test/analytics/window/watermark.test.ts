import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideWatermark } from '../../../analytics/window/watermark.ts';

const OPTIONS = { disorderMs: 5_000, idleAfterMs: 30_000 };
const NOW_MS = 1_790_848_800_000;

describe('the watermark', () => {
  it.each([
    { why: 'no source: the clock alone', sources: [], expected: NOW_MS },
    { why: 'one source', sources: [[NOW_MS - 700, NOW_MS]], expected: NOW_MS - 700 },
    {
      why: 'the slower of two',
      sources: [
        [NOW_MS - 700, NOW_MS],
        [NOW_MS - 90_000, NOW_MS],
      ],
      expected: NOW_MS - 90_000,
    },
    { why: 'a source that runs ahead of the clock', sources: [[NOW_MS + 60_000, NOW_MS]], expected: NOW_MS },
    {
      why: 'one that is silent for less than it may be',
      sources: [[NOW_MS - 90_000, NOW_MS - 29_999]],
      expected: NOW_MS - 90_000,
    },
    {
      why: 'one that is silent for as long as it may be',
      sources: [[NOW_MS - 90_000, NOW_MS - 30_000]],
      expected: NOW_MS,
    },
    {
      why: 'a silent one beside one that speaks',
      sources: [
        [NOW_MS - 90_000, NOW_MS - 40_000],
        [NOW_MS - 700, NOW_MS],
      ],
      expected: NOW_MS - 700,
    },
  ] as const)('$why', ({ sources, expected }) => {
    const progress = sources.map(([newestEventMs, lastMovedMs]) => ({ newestEventMs, lastMovedMs }));
    expect(decideWatermark(progress, NOW_MS, OPTIONS)).toBe(expected - OPTIONS.disorderMs);
  });

  it('lies behind every active source and the clock by the disorder at least, and no further than it must', () => {
    const source = fc.record({
      newestEventMs: fc.integer({ min: NOW_MS - 200_000, max: NOW_MS + 200_000 }),
      lastMovedMs: fc.integer({ min: NOW_MS - 60_000, max: NOW_MS }),
    });
    fc.assert(
      fc.property(fc.array(source, { maxLength: 6 }), (sources) => {
        const watermarkMs = decideWatermark(sources, NOW_MS, OPTIONS);
        const bounds = [NOW_MS];
        for (const each of sources) if (NOW_MS - each.lastMovedMs < 30_000) bounds.push(each.newestEventMs);
        for (const bound of bounds) expect(watermarkMs).toBeLessThanOrEqual(bound - 5_000);
        expect(bounds.map((bound) => bound - 5_000)).toContain(watermarkMs);
      }),
    );
  });
});
