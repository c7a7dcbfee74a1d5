import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_WINDOWS, parseTimeMs, parseWindowRange } from '../../dashboards/window-range.ts';

const NOW_MS = Date.parse('2026-11-01T11:00:07.000Z');

describe('parseTimeMs', () => {
  test.each([
    ['0', 0],
    ['1793530800000', 1_793_530_800_000],
    ['2026-11-01T10:05:00Z', Date.UTC(2026, 10, 1, 10, 5)],
    ['2026-11-01T10:05:00.250z', Date.UTC(2026, 10, 1, 10, 5, 0, 250)],
    ['2026-11-01T12:05:00+02:00', Date.UTC(2026, 10, 1, 10, 5)],
    ['2026-11-01T12:05:00 02:00', Date.UTC(2026, 10, 1, 10, 5)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('%s is read', (text, timeMs) => {
    expect(parseTimeMs(text)).toBe(timeMs);
  });

  test.each([
    '',
    ' ',
    '-1',
    '1e3',
    '1.5',
    '2026-11-01',
    '2026-11-01T10:05:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-01T25:00:00Z',
    '2026-11-01T10:05:00+99:00',
    '999999999999999',
    'NaN',
    '1969-12-31T23:59:59Z',
  ])('"%s" is no time', (text) => {
    expect(parseTimeMs(text)).toBeNull();
  });

  test('any instant that RFC 3339 can write is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (timeMs) => {
        expect(parseTimeMs(new Date(timeMs).toISOString())).toBe(timeMs);
        expect(parseTimeMs(String(timeMs))).toBe(timeMs);
      }),
    );
  });
});

describe('parseWindowRange', () => {
  test('counts the windows that start inside the range, as the reader does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 3_000 }), (fromMs, lengthMs) => {
        const windowMs = 2;
        let windows = 0;
        for (let startMs = 0; startMs < fromMs + lengthMs; startMs += windowMs) if (startMs >= fromMs) windows += 1;
        const range = parseWindowRange({ from: String(fromMs), to: String(fromMs + lengthMs) }, windowMs, NOW_MS);
        expect(range.ok).toBe(windows <= MAX_WINDOWS);
      }),
    );
  });

  test('is the hour before `to` when only that is given, never before 1970', () => {
    expect(parseWindowRange({ from: undefined, to: '7200000' }, 60_000, NOW_MS)).toEqual({
      ok: true,
      fromMs: 3_600_000,
      toMs: 7_200_000,
    });
    expect(parseWindowRange({ from: undefined, to: '60000' }, 60_000, NOW_MS)).toEqual({
      ok: true,
      fromMs: 0,
      toMs: 60_000,
    });
  });
});
