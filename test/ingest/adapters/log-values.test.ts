import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationOf, goDurationMs, timeOf } from '../../../ingest/adapters/log-values.ts';

const AT_MS = 1_772_446_507_894;

describe('a time in its unit', () => {
  test.each([
    [1772446507.894, 's'],
    ['1772446507.894', 's'],
    [1772446507.8949, 's'],
    [AT_MS, 'ms'],
    [String(AT_MS), 'ms'],
    [1772446507894999, 'us'],
    ['1772446507894999999', 'ns'],
    [1772446507894000000, 'ns'],
    ['2026-03-02T10:15:07.894Z', 'rfc3339'],
    [AT_MS, null],
    ['2026-03-02T11:15:07.894+01:00', null],
  ] as const)('%j in %s is the millisecond that it lies in', (value, unit) => {
    expect(timeOf(value, unit, 'at')).toBe(AT_MS);
  });

  test.each([
    [AT_MS, 's', 'time_unit', /looks like milliseconds.*say ms under units/],
    [1772446507, 'ms', 'time_unit', /looks like seconds.*say s under units/],
    ['1772446507894000000', 'ms', 'time_unit', /nanoseconds/],
    [AT_MS * 1000, 'ns', 'time_unit', /microseconds/],
    [12, 'ms', 'out_of_range', /1973/],
    ['soon', 's', 'time_format', /number of seconds/],
    [null, 's', 'time_format', /number/],
    [AT_MS, 'rfc3339', 'time_format', /RFC 3339/],
    ['1772446507.894', null, 'time_format', /number in quotes/],
  ] as const)('%j is not read as %s: %s', (value, unit, code, detail) => {
    expect(timeOf(value, unit, 'at')).toMatchObject({ code, detail: expect.stringMatching(detail) });
  });

  test('whatever the unit, every millisecond comes back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e12, max: 4e12 }), (ms) => {
        expect(timeOf((ms / 1000).toFixed(3), 's', 'at')).toBe(ms);
        expect(timeOf(ms / 1000, 's', 'at')).toBe(ms);
        expect(timeOf(`${ms}999999`, 'ns', 'at')).toBe(ms);
        expect(timeOf(ms * 1000 + 999, 'us', 'at')).toBe(ms);
      }),
      { seed: 20260302 },
    );
  });
});

describe('a duration', () => {
  test.each([
    [0.184, 's', 184],
    ['184', 'ms', 184],
    [1500, 'us', 1.5],
    [2e6, 'ns', 2],
    [0, 's', 0],
  ] as const)('%j in %s is %d ms', (value, unit, expected) => {
    expect(durationOf(value, unit, 'took')).toBeCloseTo(expected, 9);
  });

  test.each([
    [-1, 'out_of_range'],
    [1e12, 'out_of_range'],
    ['', 'wrong_type'],
    ['0x10', 'wrong_type'],
    ['Infinity', 'wrong_type'],
    [true, 'wrong_type'],
    [Number.NaN, 'wrong_type'],
  ])('%j is none: %s', (value, code) => {
    expect(durationOf(value, 's', 'took')).toMatchObject({ code });
  });

  test.each([
    ['826ms', 826],
    ['1m30.5s', 90_500],
    ['2h', 7_200_000],
    ['450.6649ns', 0.0004506649],
    ['100µs', 0.1],
  ])('Go writes %s for %d ms', (text, expected) => {
    expect(goDurationMs(text, 'wait')).toBeCloseTo(expected, 9);
  });

  test.each(['', 'ms', '5', '1s!', '-3s', '1.s', 7, null, 's'.repeat(100)])('%j is none of Go', (value) => {
    expect(goDurationMs(value, 'wait')).toMatchObject({ code: 'wrong_type' });
  });
});
