import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarMonth, isMonth, monthAt, shiftMonth } from '../../reports/calendar/month.ts';
import { canonicalTimeZone, formatLocal } from '../../reports/calendar/time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const utc = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

/** The slow way: minute by minute past a date's UTC midnight until the zone's own wall calendar shows it. */
function walkToDate(timeZone: string, date: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const around = Date.parse(`${date}T00:00:00Z`);
  for (let atMs = around - 30 * HOUR_MS; ; atMs += MINUTE_MS) {
    if (format.format(atMs) >= date) return atMs;
  }
}

describe('the month of a zone', () => {
  it.each([
    ['2026-11', 'UTC', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', 30, 720, 'the plain case'],
    ['2026-02', 'UTC', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', 28, 672, '28 days'],
    ['2028-02', 'UTC', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z', 29, 696, 'a leap year'],
    ['2026-10', 'Europe/Berlin', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', 31, 745, 'a 25-hour day'],
    ['2026-03', 'Europe/Berlin', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z', 31, 743, 'a 23-hour day'],
    ['2026-11', 'America/New_York', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z', 30, 721, 'falls back on the 1st'],
    ['2026-11', 'Asia/Kolkata', '2026-10-31T18:30:00Z', '2026-11-30T18:30:00Z', 30, 720, 'a half-hour zone'],
    ['2026-11', 'Asia/Kathmandu', '2026-10-31T18:15:00Z', '2026-11-30T18:15:00Z', 30, 720, 'a quarter-hour zone'],
    [
      '2026-04',
      'Australia/Lord_Howe',
      '2026-03-31T13:00:00Z',
      '2026-04-30T13:30:00Z',
      30,
      720.5,
      'shifts by half an hour',
    ],
    ['2018-11', 'America/Sao_Paulo', '2018-11-01T03:00:00Z', '2018-12-01T02:00:00Z', 30, 719, 'skips a midnight'],
    [
      '2010-09',
      'Africa/Cairo',
      '2010-08-31T22:00:00Z',
      '2010-09-30T22:00:00Z',
      30,
      720,
      'falls back at the last midnight',
    ],
    ['2026-04', 'Africa/Cairo', '2026-03-31T22:00:00Z', '2026-04-30T21:00:00Z', 30, 719, 'skips a midnight in April'],
    ['2011-12', 'Pacific/Apia', '2011-12-01T10:00:00Z', '2011-12-31T10:00:00Z', 30, 720, 'never had its 30th'],
    [
      '2009-11',
      'America/St_Johns',
      '2009-11-01T02:30:00Z',
      '2009-12-01T03:30:00Z',
      30,
      721,
      'falls back over its first midnight',
    ],
    [
      '1970-01',
      'Pacific/Kiritimati',
      '1970-01-01T10:40:00Z',
      '1970-02-01T10:40:00Z',
      31,
      744,
      'west of the date line then',
    ],
  ])('%s in %s is [%s, %s): %d days, %d hours (%s)', (month, zone, start, end, days, hours) => {
    const found = calendarMonth(month, zone);
    expect([utc(found.startMs), utc(found.endMs), found.days.length]).toEqual([start, end, days]);
    expect((found.endMs - found.startMs) / HOUR_MS).toBe(hours);
  });

  it('begins a day whose midnight is skipped when the clocks have sprung forward', () => {
    const days = calendarMonth('2018-11', 'America/Sao_Paulo').days;
    const fourth = days.find((day) => day.date === '2018-11-04');
    expect(fourth).toEqual({
      date: '2018-11-04',
      startMs: Date.parse('2018-11-04T03:00:00Z'),
      endMs: Date.parse('2018-11-05T02:00:00Z'),
    });
  });

  it('leaves out a date that the zone never had', () => {
    const dates = calendarMonth('2011-12', 'Pacific/Apia').days.map((day) => day.date);
    expect(dates.slice(-2)).toEqual(['2011-12-29', '2011-12-31']);
  });

  it('agrees with a walk along the minutes, in any zone and year', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const seed = 20261101;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 1973, max: 2037 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat({ max: 30 }),
        (timeZone, year, monthNumber, pick) => {
          const month = `${year}-${String(monthNumber).padStart(2, '0')}`;
          const found = calendarMonth(month, timeZone);
          const day = found.days[pick % found.days.length];
          expect(utc(found.startMs)).toBe(utc(walkToDate(timeZone, `${month}-01`)));
          expect(utc(found.endMs)).toBe(utc(walkToDate(timeZone, `${shiftMonth(month, 1)}-01`)));
          expect(utc(day?.startMs ?? 0)).toBe(utc(walkToDate(timeZone, day?.date ?? '')));
        },
      ),
      { numRuns: 60, seed },
    );
  });

  it('tiles time: months and days follow each other, and none is longer than 49 or shorter than an hour', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        fc.integer({ min: 1970, max: 2090 }),
        fc.integer({ min: 1, max: 12 }),
        (timeZone, year, monthNumber) => {
          const month = `${year}-${String(monthNumber).padStart(2, '0')}`;
          const { days, startMs, endMs } = calendarMonth(month, timeZone);
          expect(days[0]?.startMs).toBe(startMs);
          expect(days.at(-1)?.endMs).toBe(endMs);
          for (const [index, day] of days.entries()) {
            expect(day.startMs).toBe(days[index - 1]?.endMs ?? startMs);
            expect(day.endMs - day.startMs).toBeGreaterThanOrEqual(HOUR_MS);
            expect(day.endMs - day.startMs).toBeLessThanOrEqual(2 * DAY_MS + HOUR_MS);
          }
          expect(calendarMonth(shiftMonth(month, 1), timeZone).startMs).toBe(endMs);
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe('words for months and zones', () => {
  it.each(['2026-00', '2026-13', '2026-1', '26-01', '2026-01-01', '', '1969-12', '9999-01', ' 2026-01', '２０２６-01'])(
    '%j is no month',
    (text) => {
      expect(isMonth(text)).toBe(false);
    },
  );

  it.each(['1970-01', '2026-11', '9998-12'])('%j is one', (text) => {
    expect(isMonth(text)).toBe(true);
  });

  it.each([
    ['UTC', 'UTC', 'itself'],
    ['utc', 'UTC', 'spelling is mended'],
    ['europe/berlin', 'Europe/Berlin', 'in any case'],
    ['Asia/Kolkata', 'Asia/Kolkata', 'kept, though the platform has an older name'],
    ['Etc/GMT+5', 'Etc/GMT+5', 'an IANA name with a sign'],
    ['Mars/Olympus', null, 'no zone'],
    ['+02:00', null, 'an offset has no calendar'],
    ['', null, 'nothing'],
    ['Europe/Berlin\n', null, 'a control character'],
    ['../etc/passwd', null, 'a path'],
  ] satisfies [string, string | null, string][])('%j is %j: %s', (name, canonical, _why) => {
    expect(canonicalTimeZone(name)).toBe(canonical);
  });

  it('tells the month of a moment by the zone', () => {
    const atMs = Date.parse('2026-10-31T23:30:00Z');
    expect([monthAt(atMs, 'UTC'), monthAt(atMs, 'Europe/Berlin')]).toEqual(['2026-10', '2026-11']);
    expect([shiftMonth('2026-01', -1), shiftMonth('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
  });

  it('writes local times with their offset', () => {
    const atMs = Date.parse('2026-11-01T00:00:00Z');
    expect(formatLocal(atMs, 0)).toBe('2026-11-01T00:00:00+00:00');
    expect(formatLocal(atMs, -12_600_000)).toBe('2026-10-31T20:30:00-03:30');
    expect(formatLocal(atMs, 5.75 * HOUR_MS)).toBe('2026-11-01T05:45:00+05:45');
  });
});
