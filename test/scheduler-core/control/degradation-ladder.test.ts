import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DegradationLadder } from '../../../scheduler-core/control/index.ts';
import type { DegradationPolicy } from '../../../scheduler-core/policy/policy.ts';

const POLICY: DegradationPolicy = {
  levels: [
    { name: 'L1', enterAbove: 0.7, leaveBelow: 0.5, action: 'pause', class: 'batch' },
    { name: 'L2', enterAbove: 0.85, leaveBelow: 0.65, action: 'light_mode', class: 'interactive' },
    { name: 'L3', enterAbove: 0.95, leaveBelow: 0.75, action: 'throttle', class: 'realtime' },
  ],
  minDwellMs: 5000,
  everyMs: 1000,
  throttleRatio: 0.25,
};

/** Levels after looks a second apart, from one second on. */
function levels(loads: readonly number[], policy = POLICY): (string | null)[] {
  const ladder = new DegradationLadder(policy, 0);
  return loads.map((load, index) => {
    ladder.run(load, (index + 1) * 1000);
    return ladder.levelName;
  });
}

describe('the degradation ladder', () => {
  it('is climbed one rung at a time, however high the load', () => {
    expect(levels([1, 1, 1, 1])).toEqual(['L1', 'L2', 'L3', 'L3']);
  });

  it('is climbed above a level, not at it', () => {
    expect(levels([0.7, 0.700001, 0.85])).toEqual([null, 'L1', 'L1']);
  });

  it('does not flap between a level and its recovery level', () => {
    const loads = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 0.71 : 0.51));
    expect(new Set(levels(loads))).toEqual(new Set(['L1']));
  });

  it('is left one rung at a time, each after its dwell, by itself', () => {
    expect(levels([1, 1, 1, ...Array.from({ length: 16 }, () => 0)])).toEqual([
      ...['L1', 'L2', 'L3'],
      ...['L3', 'L3', 'L3', 'L3', 'L2'],
      ...['L2', 'L2', 'L2', 'L2', 'L1'],
      ...['L1', 'L1', 'L1', 'L1', null, null],
    ]);
  });

  it('stays on a rung whose own recovery level is not reached', () => {
    expect(levels([1, 1, 1, ...Array.from({ length: 10 }, () => 0.7)]).at(-1)).toBe('L2');
  });

  it('looks only when it is due, and once however late', () => {
    const ladder = new DegradationLadder(POLICY, 0);
    expect([ladder.run(1, 999), ladder.nextMs]).toEqual([false, 1000]);
    expect([ladder.run(1, 9000), ladder.level, ladder.nextMs]).toEqual([true, 1, 10_000]);
    expect(ladder.run(1, 9001)).toBe(false);
  });

  it('keeps all rungs up to the level in force, and takes them back', () => {
    const ladder = new DegradationLadder(POLICY, 0);
    const inForce = () => [ladder.paused('batch'), ladder.lightMode('interactive'), ladder.throttled('realtime')];
    expect(inForce()).toEqual([false, false, false]);
    for (const nowMs of [1000, 2000, 3000]) ladder.run(1, nowMs);
    expect(inForce()).toEqual([true, true, true]);
    expect([ladder.paused('interactive'), ladder.throttled('batch'), ladder.lightMode('realtime')]).toEqual([
      false,
      false,
      false,
    ]);
    for (const nowMs of [8000, 13_000, 18_000]) ladder.run(0, nowMs);
    expect(inForce()).toEqual([false, false, false]);
  });

  it('lets the stated part of a throttled class in, evenly, and all of any other', () => {
    const ladder = new DegradationLadder(POLICY, 0);
    expect([ladder.letsIn('realtime'), ladder.letsIn('realtime')]).toEqual([true, true]);
    for (const nowMs of [1000, 2000, 3000]) ladder.run(1, nowMs);
    const pattern = Array.from({ length: 8 }, () => ladder.letsIn('realtime'));
    expect(pattern).toEqual([false, false, false, true, false, false, false, true]);
    expect(ladder.letsIn('batch')).toBe(true);
  });

  it('lets in the stated part of any number of requests, to within one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 2000 }), (throttleRatio, requests) => {
        const ladder = new DegradationLadder({ ...POLICY, throttleRatio }, 0);
        for (const nowMs of [1000, 2000, 3000]) ladder.run(1, nowMs);
        let letIn = 0;
        for (let each = 0; each < requests; each++) if (ladder.letsIn('realtime')) letIn++;
        expect(letIn).toBeLessThanOrEqual(throttleRatio * requests + 1e-5);
        expect(letIn).toBeGreaterThan(throttleRatio * requests - 1 - 1e-5);
      }),
    );
  });

  it('changes by one rung at most, never down within the dwell, whatever the load does', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 100 }), (loads) => {
        const ladder = new DegradationLadder(POLICY, 0);
        let changedAtMs = Number.NEGATIVE_INFINITY;
        for (const [index, load] of loads.entries()) {
          const nowMs = (index + 1) * 1000;
          const before = ladder.level;
          const changed = ladder.run(load, nowMs);
          expect(Math.abs(ladder.level - before)).toBe(changed ? 1 : 0);
          if (ladder.level < before) expect(nowMs - changedAtMs).toBeGreaterThanOrEqual(POLICY.minDwellMs);
          if (changed) changedAtMs = nowMs;
        }
      }),
    );
  });
});
