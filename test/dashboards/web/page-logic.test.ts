import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../dashboards/web/api-client.ts';
import { formatAmount, formatRange, formatRatio, formatSpan, formatWait } from '../../../dashboards/web/format.ts';
import { liveState } from '../../../dashboards/web/live-state.ts';
import { loadPage, type PageView } from '../../../dashboards/web/load-page.ts';
import { displayName } from '../../../dashboards/web/names.ts';
import { noticeWords } from '../../../dashboards/web/notice-words.ts';
import { slotCount, slotIndexAt, slotRange, slotsOf } from '../../../dashboards/web/time-slots.ts';
import { formatSelection, parseSelection } from '../../../dashboards/web/url-state.ts';
import { reasonWords } from '../../../dashboards/web/words.ts';
import { fakeReader } from '../fake-reader.ts';
import { noisyHour } from '../noisy-hour.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.parse('2026-11-01T10:00:00Z');
const TO_MS = FROM_MS + 60 * MINUTE_MS;

describe('names', () => {
  test.each([
    ['small03', 'small03', 'an ordinary name stays'],
    ['<b>&amp;</b>', '<b>&amp;</b>', 'markup is text, and stays'],
    ['a\u202Egpj.exe', 'a\uFFFDgpj.exe', 'direction overrides would turn the line around'],
    ['a\nb\u0000c\u2028d', 'a\uFFFDb\uFFFDc\uFFFDd', 'controls would break it'],
    ['  ', '(blank name)', 'a blank would look like a missing figure'],
    ['x'.repeat(100), `${'x'.repeat(63)}…`, 'long names are cut'],
    ['租户甲 ñ 👍', '租户甲 ñ 👍', 'other scripts stay'],
  ])('%j is shown as %j: %s', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });
});

describe('figures', () => {
  test.each([
    [formatWait(0), '0 ms'],
    [formatWait(7.31), '7.3 ms'],
    [formatWait(512.4), '512 ms'],
    [formatWait(999.7), '1 s'],
    [formatWait(2_601.6), '2.6 s'],
    [formatWait(59_900), '1 min'],
    [formatWait(200_000), '3 min 20 s'],
    [formatSpan(26 * 3_600_000), '1 d 2 h'],
    [formatSpan(0), '0 s'],
    [formatRatio(0.9996), '1.000'],
    [formatRatio(0.996), '0.996'],
    [formatAmount(0.262), '0.262'],
    [formatAmount(47_880.4), '47,880'],
    [formatRange(FROM_MS, FROM_MS + MINUTE_MS, TO_MS), '10:00–10:01 UTC'],
    [formatRange(FROM_MS, FROM_MS + MINUTE_MS, TO_MS + 86_400_000), '2026-11-01 10:00–10:01 UTC'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  test('a reason without words is shown as it came, never left out', () => {
    expect(reasonWords('no_capacity')).toBe("the pool's capacity is not known");
    expect(reasonWords('sun_spots')).toBe('sun spots');
    expect(reasonWords(undefined)).toBe('no reason is given');
  });
});

describe('freshness', () => {
  const at = (ageMs: number, failure: string | null) =>
    liveState({ refreshedAtMs: TO_MS, nowMs: TO_MS + ageMs, failure });
  test.each([
    [at(0, null), 'live', 'Live · refreshed 11:00:00 UTC'],
    [at(89_999, null), 'live', 'Live · refreshed 11:00:00 UTC'],
    [at(90_000, null), 'stale', 'Stale · refreshed 11:00:00 UTC, 1 min 30 s ago'],
    [at(5_000, 'no route'), 'error', 'Error · refreshed 11:00:00 UTC'],
    [at(95_000, 'no route'), 'stale', 'Stale · refreshed 11:00:00 UTC, 1 min 35 s ago'],
    [liveState({ refreshedAtMs: null, nowMs: 0, failure: null }), 'loading', 'Loading'],
    [liveState({ refreshedAtMs: null, nowMs: 0, failure: 'x' }), 'error', 'Error'],
  ])('%o', (shown, state, words) => {
    expect(shown).toEqual({ state, words });
  });
});

describe('slots', () => {
  test('an hour of minutes ends with the newest window; gaps are slots without a window', () => {
    const { windows } = noisyHour({ fromMs: FROM_MS, missingMinutes: [7] });
    const slots = slotsOf(slotRange(TO_MS, null, MINUTE_MS), windows, MINUTE_MS);
    expect(slots).toHaveLength(60);
    expect(slots.filter((slot) => slot.window === null).map((slot) => slot.startMs)).toEqual([FROM_MS + 7 * MINUTE_MS]);
    expect(slotIndexAt(slots, TO_MS)).toBe(59);
  });

  test('a chosen window is always inside the range, which never passes the newest', () => {
    const lengths = fc.constantFrom(1_000, MINUTE_MS, 5 * MINUTE_MS, 3_600_000);
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 100_000 }), (windowMs, ago) => {
        const newestEndMs = Math.floor(TO_MS / windowMs) * windowMs;
        const atMs = newestEndMs - (ago + 1) * windowMs;
        const { fromMs, toMs } = slotRange(newestEndMs, atMs, windowMs);
        expect(toMs).toBeLessThanOrEqual(newestEndMs);
        expect(fromMs).toBeLessThanOrEqual(atMs);
        expect(atMs).toBeLessThan(toMs);
        expect((toMs - fromMs) / windowMs).toBe(slotCount(windowMs));
      }),
    );
  });
});

describe('the address', () => {
  test('any pool and time survive it, and foreign parameters stay', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: null }),
        (pool, atMs) => {
          expect(parseSelection(formatSelection({ pool, atMs }, ''))).toEqual({ pool, atMs });
        },
      ),
    );
    expect(formatSelection({ pool: null, atMs: null }, '?pool=a&at=x&theme=1')).toBe('?theme=1');
    expect(parseSelection('?at=yesterday')).toEqual({ pool: null, atMs: null });
  });
});

/** The page's client over a fake reader, without a server between; counts what it loads. */
function clientOf(reader: ReturnType<typeof fakeReader>): ApiClient {
  return {
    async pools() {
      const dead_letters = { since: new Date(0).toISOString(), by_reason: {} };
      const pools = [...(await reader.pools())];
      return { ok: true, body: { now: new Date(TO_MS).toISOString(), window_ms: MINUTE_MS, pools, dead_letters } };
    },
    async windows(request) {
      return { ok: true, body: await reader.windows({ ...request, windowMs: MINUTE_MS }) };
    },
  };
}

async function load(
  reader: ReturnType<typeof fakeReader>,
  selection = { pool: null, atMs: null } as Parameters<typeof loadPage>[1],
  previous: PageView | null = null,
) {
  const answer = await loadPage(clientOf(reader), selection, previous);
  if (!answer.ok) throw new Error(answer.detail);
  return answer.body;
}

describe('loadPage', () => {
  const hour = noisyHour({ fromMs: FROM_MS });

  test('shows the newest window of the first pool that has one', async () => {
    const page = await load(fakeReader({ ...hour, pool: 'a', windows: [] }, { ...hour, pool: 'b' }));
    expect(page.pool?.pool).toBe('b');
    expect(page.view?.chosen?.start).toBe('2026-11-01T10:59:00.000Z');
    expect(page.view?.chosen?.tenants).toHaveLength(25);
  });

  test('loads the tenants of the chosen window again only when its figures changed', async () => {
    const reader = fakeReader(hour);
    const first = await load(reader);
    const second = await load(reader, undefined, first);
    expect(second.view?.chosen).toBe(first.view?.chosen);
    expect(reader.queries.filter((query) => query.withTenants)).toHaveLength(1);
    reader.stored.set('llm-a', { ...hour, windows: hour.windows.map((window) => ({ ...window, served_cost: 1 })) });
    const third = await load(reader, undefined, second);
    expect(third.view?.chosen?.served_cost).toBe(1);
  });

  test('a chosen time without a window is shown as that, not as its neighbour', async () => {
    const reader = fakeReader(noisyHour({ fromMs: FROM_MS, missingMinutes: [7] }));
    const page = await load(reader, { pool: 'llm-a', atMs: FROM_MS + 7 * MINUTE_MS });
    expect(page.view?.slots[page.view.chosenIndex]?.startMs).toBe(FROM_MS + 7 * MINUTE_MS);
    expect(page.view?.chosen).toBeNull();
  });
});

describe('noticeWords', () => {
  const selection = { pool: 'x', atMs: null };
  const refusal = { ok: false, kind: 'unreachable', detail: 'the server cannot be reached' } as const;

  test('loading, no data, an unknown pool, nothing computed and errors have words of their own; figures need none', async () => {
    const hour = noisyHour({ fromMs: FROM_MS });
    const withFigures = await load(fakeReader(hour));
    const computing = await load(fakeReader({ ...hour, windows: [] }));
    const arrived = computing.pool === null ? null : { ...computing.pool, newest_arrival_ms: 1 };
    const words = [
      noticeWords(null, null, selection),
      noticeWords(await load(fakeReader()), null, selection),
      noticeWords(await load(fakeReader(hour), selection), null, selection),
      noticeWords(computing, null, selection),
      noticeWords({ ...computing, pool: arrived }, null, selection),
      noticeWords(null, refusal, selection),
      noticeWords(withFigures, refusal, selection),
    ];
    expect(words.map((line) => line?.slice(0, 26))).toEqual([
      'Loading the figures…',
      'No data yet: no event has ',
      'There is no pool “x” here.',
      'No data yet for pool “llm-',
      'Pool “llm-a” has events, b',
      'Could not refresh: the ser',
      'Could not refresh: the ser',
    ]);
    expect(new Set(words).size).toBe(words.length);
    expect(noticeWords(withFigures, null, selection)).toBeNull();
  });
});
