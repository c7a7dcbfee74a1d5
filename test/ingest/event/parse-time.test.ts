import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EARLIEST_MS, LATEST_MS, parseTimeMs, rfc3339Ms } from '../../../ingest/event/parse-time.ts';

describe('RFC 3339', () => {
  test.each([
    ['2026-03-02T10:15:04Z', '2026-03-02T10:15:04.000Z', 'no fraction'],
    ['2026-03-02t10:15:04z', '2026-03-02T10:15:04.000Z', 'lower-case t and z are allowed (RFC 3339, 5.6)'],
    ['2026-03-02T10:15:04.1Z', '2026-03-02T10:15:04.100Z', 'one digit is tenths'],
    ['2026-03-02T10:15:04.127999999999Z', '2026-03-02T10:15:04.127Z', 'a long fraction is cut, not rounded'],
    ['2026-03-02T10:15:04.0009Z', '2026-03-02T10:15:04.000Z', 'below a millisecond'],
    ['2026-03-02T10:15:04+02:00', '2026-03-02T08:15:04.000Z', 'an offset'],
    ['2026-03-02T10:15:04.5-00:00', '2026-03-02T10:15:04.500Z', 'the unknown local offset'],
    ['2026-03-02T23:15:04-23:59', '2026-03-03T23:14:04.000Z', 'the largest offset'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', 'a leap day'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z', 'a leap day of a century that has one'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z', 'a leap second is the second after'],
    ['2016-12-31T23:59:60.75Z', '2017-01-01T00:00:00.750Z', 'within a leap second'],
    ['1973-01-01T00:00:00Z', '1973-01-01T00:00:00.000Z', 'the earliest'],
    ['2100-12-31T23:59:59.999Z', '2100-12-31T23:59:59.999Z', 'the latest'],
  ])('%s is %s (%s)', (text, expected) => {
    expect(parseTimeMs(text, 'arrived_at')).toBe(Date.parse(expected));
  });

  test.each([
    ['', 'nothing'],
    ['yesterday', 'words'],
    ['2026-03-02', 'a date'],
    ['2026-03-02T10:15Z', 'no seconds'],
    ['2026-03-02 10:15:04Z', 'a blank for the T'],
    ['2026-03-02T10:15:04', 'no zone'],
    ['2026-03-02T10:15:04+0200', 'an offset without its colon'],
    ['2026-03-02T10:15:04+02', 'half an offset'],
    ['2026-03-02T10:15:04+24:00', 'an offset of a day'],
    ['2026-03-02T10:15:04+02:60', 'an offset of sixty minutes'],
    ['2026-03-02T10:15:04.Z', 'a point without digits'],
    ['2026-03-02T10:15:04,5Z', 'a comma'],
    ['2026-03-02T10:15:04ZZ', 'something after the zone'],
    ['2026-03-02T10:15:04Z ', 'a blank after the zone'],
    ['2026-13-02T10:15:04Z', 'month 13'],
    ['2026-00-02T10:15:04Z', 'month 0'],
    ['2026-02-29T10:15:04Z', 'a leap day in a common year'],
    ['2100-02-29T10:15:04Z', 'a leap day in a century that has none'],
    ['2026-04-31T10:15:04Z', 'a 31st in a month of 30 days'],
    ['2026-03-02T24:00:00Z', 'hour 24'],
    ['2026-03-02T10:60:04Z', 'minute 60'],
    ['2026-03-02T10:15:61Z', 'second 61'],
    ['2026-03-02T1０:15:04Z', 'a full-width digit'],
    ['+026-03-02T10:15:04Z', 'a signed year'],
    ['1772446504127', 'a number in quotes'],
  ])('%j is refused with time_format (%s)', (text) => {
    expect(parseTimeMs(text, 'arrived_at')).toMatchObject({
      code: 'time_format',
      detail: expect.stringContaining('arrived_at'),
    });
  });

  test('a missing zone and a number in quotes are named as such', () => {
    expect(parseTimeMs('2026-03-02T10:15:04.1', 'x')).toMatchObject({
      detail: expect.stringContaining('no time zone'),
    });
    expect(parseTimeMs('1772446504127', 'x')).toMatchObject({ detail: expect.stringContaining('number in quotes') });
  });

  test.each(['0075-01-01T00:00:00Z', '1972-12-31T23:59:59Z', '2101-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])(
    '%s is well formed and out of range',
    (text) => expect(parseTimeMs(text, 'arrived_at')).toMatchObject({ code: 'out_of_range' }),
  );

  test('every moment that the platform writes is read back', () => {
    const moments = fc.integer({ min: EARLIEST_MS, max: LATEST_MS - 1 });
    fc.assert(
      fc.property(moments, fc.integer({ min: -1439, max: 1439 }), (timeMs, offsetMinutes) => {
        const sign = offsetMinutes < 0 ? '-' : '+';
        const minutes = Math.abs(offsetMinutes);
        const two = (figure: number): string => String(figure).padStart(2, '0');
        const local = new Date(timeMs + offsetMinutes * 60_000).toISOString().slice(0, -1);
        expect(rfc3339Ms(`${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)).toBe(timeMs);
        expect(rfc3339Ms(new Date(timeMs).toISOString())).toBe(timeMs);
      }),
    );
  });
});

describe('numbers', () => {
  test('are epoch milliseconds whose fraction is dropped', () => {
    expect(parseTimeMs(1_772_446_504_127, 'x')).toBe(1_772_446_504_127);
    expect(parseTimeMs(1_772_446_504_127.999, 'x')).toBe(1_772_446_504_127);
  });

  test.each([
    [1_772_446_504, 'seconds'],
    [1_772_446_504.127, 'seconds'],
    [1_772_446_504_127_000, 'microseconds'],
    [1_772_446_504_127_000_000, 'nanoseconds'],
    [EARLIEST_MS / 1000, 'seconds'],
    [(LATEST_MS - 1) * 1e3, 'microseconds'],
  ])('%d is refused as %s, never converted', (value, unit) => {
    const outcome = parseTimeMs(value, 'dispatched_at');
    expect(outcome).toMatchObject({
      code: 'time_unit',
      detail: expect.stringContaining(`dispatched_at looks like ${unit}`),
    });
  });

  test('no moment of the range is plausible in two units', () => {
    fc.assert(
      fc.property(fc.integer({ min: EARLIEST_MS, max: LATEST_MS - 1 }), (timeMs) => {
        expect(parseTimeMs(timeMs, 'x')).toBe(timeMs);
        for (const scale of [1e-3, 1e3, 1e6])
          expect(parseTimeMs(timeMs * scale, 'x')).toMatchObject({ code: 'time_unit' });
      }),
    );
  });

  test.each([0, -1, -1_772_446_504_127, 5e9, 5e13, 5e16, 5e18, Number.POSITIVE_INFINITY])(
    '%d is out of range',
    (value) => {
      expect(parseTimeMs(value, 'x')).toMatchObject({ code: 'out_of_range' });
    },
  );

  test.each([[Number.NaN], [true], [{}], [[]]])('%j is of the wrong type', (value) => {
    expect(parseTimeMs(value, 'x')).toMatchObject({ code: 'wrong_type' });
  });
});
