import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  composeRange,
  DAY_MS,
  groupByPeriod,
  HOUR_MS,
  periodAt,
  periodsOf,
  ROLLUP_PERIODS,
  rollupKey,
  type WindowHour,
} from '../../../analytics/window/compose-range.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** The hours of a range, as if a window lay in each. */
function hoursOf(fromMs: number, toMs: number): WindowHour[] {
  const hours: WindowHour[] = [];
  for (let startMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; startMs < toMs; startMs += HOUR_MS) {
    hours.push({ startMs, fingerprint: (BigInt(startMs) ** 3n) & 0xffff_ffff_ffff_ffffn });
  }
  return hours;
}

const allRollups = (hours: readonly WindowHour[]): string[] =>
  ROLLUP_PERIODS.flatMap((period) => groupByPeriod(period, hours).map(({ rollup }) => rollupKey(rollup)));

const AT = Date.UTC(2028, 0, 1);
const moment = fc.integer({ min: 0, max: 100 * DAY_MS }).map((ms) => AT + ms);

describe('a range of windows', () => {
  it('is composed of parts that hold each moment of it once, whichever rollups there are', () => {
    const everything = allRollups(hoursOf(AT, AT + 101 * DAY_MS));
    fc.assert(
      fc.property(moment, moment, fc.subarray(everything), (a, b, some) => {
        const range = { fromMs: Math.min(a, b), toMs: Math.max(a, b) };
        const stored = new Set(some);
        const { rollups, spans } = composeRange(range, hoursOf(range.fromMs, range.toMs), stored);
        for (const rollup of rollups) expect(stored.has(rollupKey(rollup))).toBe(true);
        const parts = [...rollups.map(({ period, startMs }) => periodAt(period, startMs)), ...spans];
        parts.sort((one, other) => one.fromMs - other.fromMs);
        let atMs = range.fromMs;
        for (const part of parts) {
          expect(part.fromMs).toBe(atMs);
          atMs = part.toMs;
        }
        expect(atMs).toBe(range.toMs);
      }),
    );
  });

  it('takes the largest: a year and a bit is its months, then days, hours and minutes at its ends', () => {
    const range = { fromMs: Date.UTC(2027, 11, 30, 22, 30), toMs: Date.UTC(2029, 0, 2, 1) };
    const hours = hoursOf(range.fromMs, range.toMs);
    const { rollups, spans } = composeRange(range, hours, new Set(allRollups(hours)));
    expect(spans).toEqual([{ fromMs: range.fromMs, toMs: range.fromMs + HOUR_MS / 2 }]);
    const count = (period: string) => rollups.filter((rollup) => rollup.period === period).length;
    expect({ months: count('month'), days: count('day'), hours: count('hour') }).toEqual({
      months: 12,
      days: 2,
      hours: 2,
    });
  });

  it('uses no rollup of other computations: one hour with another fingerprint takes its day and month along', () => {
    const [fromMs, toMs] = [Date.UTC(2028, 1, 1), Date.UTC(2028, 2, 1)];
    const hours = hoursOf(fromMs, toMs);
    const stored = new Set(allRollups(hours));
    const restated = hours.map((hour, index) =>
      index === 30 ? { ...hour, fingerprint: hour.fingerprint + 1n } : hour,
    );
    const { rollups, spans } = composeRange({ fromMs, toMs }, restated, stored);
    expect(spans).toEqual([{ fromMs: fromMs + 30 * HOUR_MS, toMs: fromMs + 31 * HOUR_MS }]);
    expect(rollups.filter(({ period }) => period === 'day')).toHaveLength(28);
    expect(rollups.filter(({ period }) => period === 'hour')).toHaveLength(23);
    expect(rollups.filter(({ period }) => period === 'month')).toHaveLength(0);
  });
});

describe('hours, days and months', () => {
  it.each(['UTC', 'Asia/Kathmandu', 'America/New_York', 'Europe/Berlin', 'Pacific/Apia'])(
    'are of UTC on a machine in %s, on days of summer time, leap days and at the ends of years',
    (name) => {
      process.env.TZ = name;
      const days = [
        Date.UTC(2026, 2, 8, 7),
        Date.UTC(2026, 2, 29, 1),
        Date.UTC(2026, 9, 25, 1),
        Date.UTC(2028, 1, 29, 23),
      ];
      for (const atMs of days) {
        const text = new Date(atMs).toISOString();
        expect(periodAt('day', atMs)).toEqual({
          fromMs: Date.parse(`${text.slice(0, 10)}T00:00:00Z`),
          toMs: Date.parse(`${text.slice(0, 10)}T00:00:00Z`) + DAY_MS,
        });
        expect(periodAt('month', atMs).fromMs).toBe(Date.parse(`${text.slice(0, 7)}-01T00:00:00Z`));
      }
      const months = periodsOf('month', { fromMs: Date.UTC(2027, 10, 5), toMs: Date.UTC(2028, 2, 1, 5) });
      expect(months.map(({ fromMs }) => new Date(fromMs).toISOString().slice(0, 10))).toEqual([
        '2027-11-05',
        '2027-12-01',
        '2028-01-01',
        '2028-02-01',
        '2028-03-01',
      ]);
      expect((months[3]?.toMs ?? 0) - (months[3]?.fromMs ?? 0)).toBe(29 * DAY_MS);
    },
  );
});
