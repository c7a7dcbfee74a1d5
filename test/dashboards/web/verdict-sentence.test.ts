import { describe, expect, test } from 'vitest';
import type { Window } from '../../../dashboards/api-schema.ts';
import { conditionOf, type Phrase, verdictSentence } from '../../../dashboards/web/verdict-sentence.ts';
import { noisyHour } from '../noisy-hour.ts';

const HOUR = noisyHour({ fromMs: 0, minutes: 16, fairFromMinute: 8, unknownMinutes: [2], silentMinutes: [3] });

function minute(index: number): Window {
  const window = HOUR.windows[index];
  if (window === undefined) throw new Error(`the hour has no minute ${index}`);
  return window;
}

const UNFAIR = { ...minute(5), in_share: { ...minute(5).in_share, p99_wait_ms: 2_601.6 } };

function read(phrases: readonly Phrase[]): string {
  return phrases.map((phrase) => (typeof phrase === 'string' ? phrase : `[${phrase.tenant}]`)).join('');
}

describe('verdictSentence', () => {
  test('says who waited too long, how long, and who was served beyond its share', () => {
    expect(read(verdictSentence(UNFAIR))).toBe(
      '24 tenants within their share waited too long (p99 2.6 s); [heavy] was served beyond its share.',
    );
  });

  test('names at most three of those who were served beyond their share', () => {
    const causes = [{ cause: 'over_served', tenants: ['a', 'b', 'c', 'd', 'e'] }];
    expect(read(verdictSentence({ ...UNFAIR, causes }))).toContain(
      '; [a], [b], [c] and 2 more were served beyond their share.',
    );
    const two = [{ cause: 'over_served', tenants: ['a', 'b'] }];
    expect(read(verdictSentence({ ...UNFAIR, causes: two }))).toContain(
      '; [a] and [b] were served beyond their share.',
    );
  });

  test('says what else went wrong, in words where it has some', () => {
    const causes = ['idle_slots', 'lost_capacity', 'solar_flare'].map((cause) => ({ cause, tenants: [] }));
    expect(read(verdictSentence({ ...UNFAIR, causes }))).toContain(
      '; slots stood idle while requests waited; the pool had lost capacity; solar flare.',
    );
  });

  test('blames the share where waits were short or are not known', () => {
    const in_share = { ...UNFAIR.in_share, p99_wait_ms: null, p99_wait_reason: 'no_waits' };
    const window = { ...UNFAIR, in_share, min_normalized_share: { value: 0.262, tenant: 'small03' } };
    expect(read(verdictSentence(window))).toMatch(/^\[small03\] got 26\.2% of its fair share and 23 more were short; /);
    expect(read(verdictSentence({ ...window, min_normalized_share: null }))).toMatch(
      /^tenants got less than their fair share; /,
    );
  });

  test('tells fair, uncontended, no traffic and unknown apart', () => {
    expect(conditionOf(minute(9))).toBe('fair');
    expect(read(verdictSentence(minute(9)))).toBe('demand exceeded capacity, and every tenant got its share.');
    expect(conditionOf(minute(0))).toBe('uncontended');
    expect(read(verdictSentence(minute(0)))).toBe('all demand was met.');
    expect(conditionOf(minute(3))).toBe('no_traffic');
    expect(read(verdictSentence(minute(3)))).toBe('no request arrived in this window.');
    expect(conditionOf(minute(2))).toBe('unknown');
    expect(read(verdictSentence(minute(2)))).toBe(
      'it cannot be judged: gateways reported too little of their traffic.',
    );
  });

  test('a window in which nothing arrives but requests wait is not without traffic', () => {
    expect(conditionOf({ ...minute(3), waiting_at_end: 4, verdict: 'unfair' })).toBe('unfair');
  });

  test('a long wait in a window that is fair is not passed over, a handful of samples is', () => {
    const slow = { ...minute(0), in_share: { ...minute(0).in_share, p99_wait_ms: 900 } };
    expect(read(verdictSentence(slow))).toBe(
      "all demand was met. Even so, requests within their tenant's share waited long (p99 900 ms).",
    );
    const few = { ...slow, in_share: { ...slow.in_share, sufficient: false } };
    expect(read(verdictSentence(few))).toBe('all demand was met.');
  });
});
