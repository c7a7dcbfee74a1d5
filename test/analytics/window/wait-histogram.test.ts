import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitBucket } from '../../../analytics/queries/wait-bucket.ts';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import {
  bucketOf,
  bucketValue,
  histogramCount,
  histogramQuantile,
  histogramWithout,
  MAX_BUCKETED_WAIT_MS,
  mergeHistograms,
  WAIT_RELATIVE_ERROR,
  type WaitHistogram,
} from '../../../analytics/window/wait-histogram.ts';
import { quantileRank } from '../../../scheduler-core/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const histogramOf = (waits: readonly number[]): WaitHistogram =>
  mergeHistograms(waits.map((wait) => new Map([[bucketOf(wait), 1]])));

/** Waits of every magnitude, small ones and repeats among them. */
const wait = fc.oneof(
  fc.nat(70),
  fc.nat(5_000),
  fc.nat(1_000_000_000),
  fc.double({ min: 0, max: 39.9, noNaN: true }).map((exponent) => Math.floor(2 ** exponent)),
);

/** The first whole number of every bucket up to a wait, by search: numbers rise, and so do their buckets. */
function bordersUpTo(mostMs: number): number[] {
  const borders = [0];
  for (let at = 0; at < mostMs; ) {
    let [inside, beyond] = [at, Math.max(at + 2, Math.ceil(at * 1.03))];
    while (beyond - inside > 1) {
      const middle = Math.floor((inside + beyond) / 2);
      if (bucketOf(middle) === bucketOf(at)) inside = middle;
      else beyond = middle;
    }
    borders.push(beyond);
    at = beyond;
  }
  return borders;
}

describe('a bucket of waits', () => {
  it('stands for each of its waits within 1%, for 0 ms and below 64 ms exactly', () => {
    for (let ms = 0; ms < 200_000; ms++) {
      const value = bucketValue(bucketOf(ms));
      if (ms < 64) expect(value).toBe(ms);
      else if (Math.abs(value - ms) > WAIT_RELATIVE_ERROR * ms) expect.fail(`${ms} ms is shown as ${value} ms`);
    }
    fc.assert(
      fc.property(wait, (ms) => {
        expect(Math.abs(bucketValue(bucketOf(ms)) - ms)).toBeLessThanOrEqual(WAIT_RELATIVE_ERROR * ms);
      }),
    );
  });

  it('rises with the wait, fits 16 bits, and takes whatever is longer than the longest', () => {
    fc.assert(fc.property(wait, wait, (a, b) => a > b || bucketOf(a) <= bucketOf(b)));
    expect(bucketOf(MAX_BUCKETED_WAIT_MS)).toBe(2001);
    expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(2001);
    expect(bucketOf(-1)).toBe(0);
  });
});

describe('a histogram of waits', () => {
  it('gives every quantile within 1% of the exact one at its rank', () => {
    fc.assert(
      fc.property(
        fc.array(wait, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (waits, q) => {
          for (const each of [q, 0, 0.5, 0.95, 0.99, 1]) {
            const exact = quantileRank(waits, each) ?? Number.NaN;
            const found = histogramQuantile(histogramOf(waits), each) ?? Number.NaN;
            expect(Math.abs(found - exact)).toBeLessThanOrEqual(WAIT_RELATIVE_ERROR * exact);
          }
        },
      ),
    );
  });

  it('is the same put together in any order and any grouping, and a part can be taken away again', () => {
    const parts = fc.array(fc.array(wait, { maxLength: 30 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        parts.chain((of) =>
          fc.tuple(fc.constant(of), fc.shuffledSubarray(of, { minLength: of.length }), fc.nat(of.length)),
        ),
        ([of, shuffled, cut]) => {
          const whole = histogramOf(of.flat());
          const grouped = [shuffled.slice(0, cut), shuffled.slice(cut)].map((some) =>
            mergeHistograms(some.map(histogramOf)),
          );
          expect([...mergeHistograms(grouped)]).toEqual([...whole]);
          const [first = [], ...others] = of;
          expect([...histogramWithout(whole, histogramOf(first))]).toEqual([...histogramOf(others.flat())]);
          expect(histogramCount(whole)).toBe(of.flat().length);
        },
      ),
    );
  });

  it('of no waits has no quantile', () => {
    expect(histogramQuantile(new Map(), 0.5)).toBeNull();
  });
});

describe('the engine', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  const BUCKETS = defineQuery<Parameters & { readonly waits: readonly number[] }, readonly [number, number]>({
    name: 'test-buckets',
    sql: `SELECT wait, ${waitBucket('wait')} AS bucket FROM (SELECT arrayJoin({waits:Array(Int64)}) AS wait)`,
    decode: (row) => [Number(row.wait), Number(row.bucket)],
  });

  it('puts the waits at every border up to 10⁹ ms, and odd ones, into the same bucket', async () => {
    const borders = bordersUpTo(1_000_000_000);
    const around = borders.flatMap((border) => [border - 1, border, border + 1]);
    const odd = [-5, 2 ** 39 - 1, 2 ** 40 - 1, 2 ** 40, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER];
    const octaves = Array.from({ length: 41 }, (_, octave) => [2 ** octave - 1, 2 ** octave, 2 ** octave + 1]).flat();
    const random = fc.sample(wait, { numRuns: 20_000, seed: 7 });
    expect(borders.length).toBeGreaterThan(1_000);
    const rows = await opened.store.query('reads', BUCKETS, { waits: [...around, ...odd, ...octaves, ...random] });
    expect(rows.length).toBe(around.length + odd.length + octaves.length + random.length);
    for (const [ms, bucket] of rows)
      if (bucket !== bucketOf(ms)) expect.fail(`${ms} ms: ${bucket}, not ${bucketOf(ms)}`);
  });
});
