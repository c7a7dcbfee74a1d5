import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { drawSituation } from './planted/draw-situation.ts';
import { type Misjudged, misjudged, windowsOf } from './planted/judge-situation.ts';
import { PLANTED_KINDS, type Situation } from './planted/situation.ts';

/** `EVENSHARE_TEST_SITUATIONS=200 npx vitest run test/analytics/window/planted-situations.test.ts` for the long run. */
const SITUATIONS = Number(process.env.EVENSHARE_TEST_SITUATIONS ?? 40);
const FIRST_SEED = Number(process.env.EVENSHARE_TEST_SEED ?? 1);
const LEAST_RIGHT_RATIO = 0.99;

interface Judged {
  readonly situation: Situation;
  readonly wrong: readonly Misjudged[];
}

describe(`${SITUATIONS} simulated situations with the cause planted, seeds from ${FIRST_SEED}`, () => {
  let opened: TemporaryStore;
  const judged: Judged[] = [];
  beforeAll(async () => {
    opened = await temporaryStore();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SITUATIONS; seed++) {
      const situation = drawSituation(seed);
      const wrong = misjudged(situation, await windowsOf(opened.store, situation));
      judged.push({ situation: { ...situation, events: [] }, wrong });
    }
  }, 3_600_000);
  afterAll(() => opened.remove());

  const wrongAmong = (chosen: (situation: Situation) => boolean): string[] =>
    judged
      .filter(({ situation, wrong }) => wrong.length > 0 && chosen(situation))
      .map(({ situation, wrong }) =>
        [situation.summary, ...wrong.map((each) => `[${each.window}] ${each.what}`)].join('\n  '),
      );
  const isFair = ({ kind }: Situation): boolean => kind === 'nothing' || kind === 'quota';

  it('are fair wherever the scheduler was, whatever tenants did', () => {
    expect(wrongAmong(isFair)).toEqual([]);
  });

  it('are judged as planted, and put down to who it was, in at least 99 of 100', () => {
    const wrong = wrongAmong(() => true);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(Math.floor((1 - LEAST_RIGHT_RATIO) * SITUATIONS + 1e-9));
  });

  it('are some of every kind, and some of each are wronged', () => {
    const faults = judged.filter(({ situation }) => !isFair(situation));
    for (const { situation } of faults) expect(situation.expected.named.length, situation.summary).toBeGreaterThan(0);
    if (SITUATIONS >= 16)
      expect(new Set(judged.map(({ situation }) => situation.kind))).toEqual(new Set(PLANTED_KINDS));
  });
});
