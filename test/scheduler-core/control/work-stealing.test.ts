import { expect, it } from 'vitest';
import { chooseVictim } from '../../../scheduler-core/control/index.ts';

it.each([
  { why: 'from the longest queue', waiting: [0, 3, 7, 2], thief: 0, victim: 2 },
  { why: 'of equals, from the first', waiting: [5, 0, 5], thief: 1, victim: 0 },
  { why: 'not from itself', waiting: [9, 1], thief: 0, victim: 1 },
  { why: 'from nobody when nothing waits', waiting: [0, 0, 0], thief: 1, victim: null },
  { why: 'from nobody when it is alone', waiting: [4], thief: 0, victim: null },
])('an idle worker steals $why', ({ waiting, thief, victim }) => {
  expect(chooseVictim(waiting, thief)).toBe(victim);
});
