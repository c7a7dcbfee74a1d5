import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AlertState,
  type AlertTransition,
  type AlertWindow,
  evaluateWindow,
  INITIAL_ALERT_STATE,
} from '../../../analytics/alerts/evaluate.ts';
import type { AlertRule } from '../../../analytics/alerts/rule.ts';

const RULE: AlertRule = { name: 'wait', pools: null, thresholdMs: 500, forWindows: 3, minSamples: 100 };
const MINUTE_MS = 60_000;

type Minute = number | 'few' | 'unknown';

function windowOf(index: number, minute: Minute): AlertWindow {
  return {
    startMs: index * MINUTE_MS,
    endMs: (index + 1) * MINUTE_MS,
    p99WaitMs: minute === 'unknown' ? null : minute === 'few' ? 9_999 : minute,
    samples: minute === 'few' ? 99 : 100,
    inShareTenants: 3,
    overThreshold: 1,
    overServedTenants: [],
  };
}

function play(minutes: readonly Minute[], freshFromMs = 0): { state: AlertState; transitions: AlertTransition[] } {
  let state = INITIAL_ALERT_STATE;
  const transitions: AlertTransition[] = [];
  for (const [index, minute] of minutes.entries()) {
    const next = evaluateWindow(RULE, 'p', state, windowOf(index, minute), freshFromMs);
    state = next.state;
    transitions.push(...next.transitions);
  }
  return { state, transitions };
}

const told = (minutes: readonly Minute[], freshFromMs = 0): string[] =>
  play(minutes, freshFromMs).transitions.map(({ kind, atMs }) => `${kind}@${atMs / MINUTE_MS}`);

describe('the rule in-share p99', () => {
  it.each([
    { minutes: [600, 600], tells: [], why: 'two of three windows are not enough' },
    { minutes: [600, 600, 600], tells: ['firing@3'], why: 'the third fires' },
    { minutes: [500, 500, 500], tells: [], why: 'the threshold itself is not over it' },
    { minutes: [600, 600, 100, 600, 600], tells: [], why: 'a calm window starts the count anew' },
    { minutes: [600, 'few', 600, 'unknown', 600], tells: ['firing@5'], why: 'too few samples neither count nor break' },
    { minutes: [600, 600, 600, 600, 600], tells: ['firing@3'], why: 'it is told once' },
    { minutes: [600, 600, 600, 100, 100, 100], tells: ['firing@3', 'resolved@6'], why: 'as many calm ones resolve it' },
    {
      minutes: [600, 600, 600, 100, 100, 600, 100, 100],
      tells: ['firing@3'],
      why: 'a relapse begins the recovery anew',
    },
    { minutes: [600, 600, 600, 'few', 'few', 'few'], tells: ['firing@3'], why: 'silence resolves nothing' },
  ] as const)('$why', ({ minutes, tells }) => {
    expect(told(minutes)).toEqual(tells);
  });

  it('tells of nothing that came and went before it is news', () => {
    expect(told([600, 600, 600, 100, 100, 100, 100], 100 * MINUTE_MS)).toEqual([]);
  });

  it('tells once, with the true start, what still fires when the evaluation has caught up', () => {
    const { transitions } = play([100, 600, 600, 600, 600, 600, 600], 6 * MINUTE_MS);
    expect(transitions.map(({ kind, atMs }) => [kind, atMs])).toEqual([['firing', 6 * MINUTE_MS]]);
    expect(transitions[0]?.sinceMs).toBe(MINUTE_MS);
  });

  it('alternates firing and resolved, whatever the windows, and never resolves what it did not tell', () => {
    const minute = fc.oneof(fc.constantFrom<Minute>('few', 'unknown', 100, 600), fc.integer({ min: 0, max: 1_000 }));
    fc.assert(
      fc.property(fc.array(minute, { maxLength: 60 }), fc.integer({ min: 0, max: 60 }), (minutes, fresh) => {
        const kinds = play(minutes, fresh * MINUTE_MS).transitions.map((transition) => transition.kind);
        for (const [index, kind] of kinds.entries()) expect(kind).toBe(index % 2 === 0 ? 'firing' : 'resolved');
      }),
    );
  });

  it('decides the same however the windows are split over runs', () => {
    const minutes: Minute[] = [600, 600, 600, 100, 600, 100, 100, 100, 'few', 600, 600, 600];
    const whole = play(minutes);
    let state = INITIAL_ALERT_STATE;
    const transitions: AlertTransition[] = [];
    for (const [index, minute] of minutes.entries()) {
      // As read back from the store after a restart.
      const restored: AlertState = JSON.parse(JSON.stringify(state));
      const next = evaluateWindow(RULE, 'p', restored, windowOf(index, minute), 0);
      state = next.state;
      transitions.push(...next.transitions);
    }
    expect({ state, transitions }).toEqual(whole);
  });
});
