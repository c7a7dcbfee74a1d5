import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideGroupLeader } from '../../../ingest/sources/leader-assigner.ts';

const candidates = fc.uniqueArray(fc.record({ memberId: fc.string({ minLength: 1 }), isLeading: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
  selector: ({ memberId }) => memberId,
});

describe('the leader of a group', () => {
  it('is one that leads already, where one does; else one of all', () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const leader = all.find(({ memberId }) => memberId === decideGroupLeader(all));
        return leader !== undefined && (leader.isLeading || all.every(({ isLeading }) => !isLeading));
      }),
    );
  });

  it('is the same whoever decides, in whatever order the members are told', () => {
    fc.assert(
      fc.property(candidates, (all) => {
        expect(decideGroupLeader(all.toReversed())).toBe(decideGroupLeader(all));
      }),
    );
  });

  it('is nobody in an empty group', () => {
    expect(decideGroupLeader([])).toBeNull();
  });
});
