import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageMs, decideReturn, decideStart, lagMessages } from '../../../ingest/sources/kafka-positions.ts';

describe('where a partition is read from', () => {
  it.each([
    [
      { committed: null, first: 5, end: 9 },
      true,
      { offset: 5, reason: 'beginning' },
      'a new group reads what there is',
    ],
    [{ committed: null, first: 5, end: 9 }, false, { offset: 9, reason: 'end' }, 'or only what comes, as configured'],
    [{ committed: 7, first: 5, end: 9 }, false, { offset: 7, reason: 'committed' }, 'a group goes on'],
    [{ committed: 5, first: 5, end: 9 }, true, { offset: 5, reason: 'committed' }, 'at the oldest message'],
    [{ committed: 9, first: 5, end: 9 }, true, { offset: 9, reason: 'committed' }, 'at the end'],
    [{ committed: 4, first: 5, end: 9 }, false, { offset: 5, reason: 'deleted' }, 'retention was faster'],
    [{ committed: 10, first: 0, end: 9 }, false, { offset: 0, reason: 'made_again' }, 'the topic is another one'],
    [{ committed: 0, first: 0, end: 0 }, true, { offset: 0, reason: 'committed' }, 'an empty topic'],
  ] as const)('%j, from the beginning: %s → %j (%s)', (offsets, fromBeginning, decision, _why) => {
    expect(decideStart(offsets, fromBeginning)).toEqual(decision);
  });

  it('never lies beyond a message that is there and not stored', () => {
    const offset = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(offset, offset, offset, fc.boolean(), (committed, first, length, fromBeginning) => {
        const end = first + length;
        const there = Array.from({ length }, (_, index) => first + index);
        const start = decideStart({ committed, first, end }, fromBeginning).offset;
        expect(start).toBeGreaterThanOrEqual(first);
        expect(start).toBeLessThanOrEqual(end);
        // What is committed beyond the end was another topic's: all of this one is unread.
        const unread = there.filter((each) => each >= committed || committed > end);
        expect(unread.filter((each) => each < start)).toEqual([]);
      }),
    );
  });
});

describe('lag', () => {
  it.each([
    [3, 10, 7, 'what lies between'],
    [10, 10, 0, 'nothing'],
    [12, 10, 0, 'the end is older news than the position'],
    [null, 10, null, 'not known is not 0'],
    [3, null, null, 'not known is not 0'],
  ] as const)('stored to %j of %j is %j messages (%s)', (storedOffset, endOffset, lag, _why) => {
    expect(lagMessages(storedOffset, endOffset)).toBe(lag);
  });
});

describe('how far behind in time', () => {
  it.each([
    { why: 'nothing waits, however old', lag: 0, writtenAtMs: 0, ms: 0 },
    { why: 'the newest stored message is so old', lag: 5, writtenAtMs: 400, ms: 600 },
    { why: 'clocks disagree', lag: 5, writtenAtMs: 2_000, ms: 0 },
    { why: 'nothing was stored yet', lag: 5, writtenAtMs: null, ms: null },
    { why: 'the end is not known', lag: null, writtenAtMs: 400, ms: null },
  ])('$ms ms: $why', ({ lag, writtenAtMs, ms }) => {
    expect(ageMs(lag, writtenAtMs, 1_000)).toBe(ms);
  });
});

describe('where to go on when a fetch came from elsewhere', () => {
  const offsets = (committed: number | null) => ({ committed, first: 3, end: 900 });
  it.each([
    ['before, for the topic is shorter now', 200, 0, true, null, 0],
    ['before, a leftover of an earlier division', 200, 150, true, 180, 150],
    ['beyond, a leftover of an earlier division', 200, 260, true, 180, 200],
    ['beyond, and the group has committed nothing yet', 200, 260, false, null, 200],
    ['beyond, and what was committed is forgotten: another topic', 200, 260, true, null, 3],
  ])('%s', (_, nextOffset, fetchedOffset, isCommitted, committed, expected) => {
    expect(decideReturn({ nextOffset, fetchedOffset, isCommitted }, offsets(committed))).toBe(expected);
  });
});
