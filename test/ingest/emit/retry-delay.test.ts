import { describe, expect, it } from 'vitest';
import { decideRetryDelayMs, parseRetryAfterMs } from '../../../ingest/emit/retry-delay.ts';

describe('the delay before the next attempt', () => {
  it.each([
    ['starts at a quarter second', 1, null, 1, 250],
    ['is at least half of that, by chance', 1, null, 0, 125],
    ['doubles with each failure', 4, null, 1, 2000],
    ['grows no longer than ten seconds', 50, null, 1, 10_000],
    ['is what the server asks for', 1, 3000, 0, 3000],
    ['is spread over a quarter second after that', 9, 3000, 1, 3250],
    ['is a minute at most, whatever the server asks for', 1, 1e9, 0, 60_000],
    ['is no busy loop when the server asks for none', 3, 0, 0.5, 125],
  ])('%s', (_, failedAttempts, retryAfterMs, chance, expectedMs) => {
    expect(decideRetryDelayMs({ failedAttempts, retryAfterMs, chance })).toBe(expectedMs);
  });
});

describe('the Retry-After header', () => {
  const nowMs = Date.UTC(2026, 10, 1, 10, 0, 0);
  it.each([
    ['absent', null, null],
    ['seconds', '7', 7000],
    ['a fraction of a second', ' 0.5 ', 500],
    ['a date', 'Sun, 01 Nov 2026 10:00:09 GMT', 9000],
    ['a date in the past', 'Sun, 01 Nov 2026 09:00:00 GMT', 0],
    ['nonsense', 'soon', null],
    ['empty', '', null],
  ])('%s', (_, header, expectedMs) => {
    expect(parseRetryAfterMs(header, nowMs)).toBe(expectedMs);
  });
});
