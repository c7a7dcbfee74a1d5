import { describe, expect, it } from 'vitest';
import { systemClock } from '../../cli/clock.ts';

const HOUR_MS = 3_600_000;

describe('the system clock', () => {
  it('counts milliseconds since 1970', () => {
    expect(systemClock.nowMs()).toBeGreaterThan(Date.UTC(2024, 0, 1));
  });

  it('ends a sleep as soon as the signal aborts, and does not begin one afterwards', async () => {
    const stop = new AbortController();
    const sleep = systemClock.sleep(HOUR_MS, stop.signal);
    stop.abort();
    await expect(sleep).resolves.toBeUndefined();
    await expect(systemClock.sleep(HOUR_MS, stop.signal)).resolves.toBeUndefined();
  });

  it('wakes up by itself', async () => {
    await expect(systemClock.sleep(0)).resolves.toBeUndefined();
    await expect(systemClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
  });
});
