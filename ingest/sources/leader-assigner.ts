import { type Assigner, AssignerProtocol, type GroupMember, type PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** Whoever has this partition leads. */
export const LEADER_PARTITION = 0;
const PROTOCOL = 'evenshare-one-leader';
const PROTOCOL_VERSION = 1;
const CLAIM = 'leads';

export interface GroupCandidate {
  readonly memberId: string;
  /** It leads as it joins: nobody else can have begun to. */
  readonly isLeading: boolean;
}

/** Who leads a group: the one that leads already, else the first by its id; null in an empty group. */
export function decideGroupLeader(candidates: readonly GroupCandidate[]): string | null {
  const leading = candidates.filter(({ isLeading }) => isLeading);
  const ids = (leading.length > 0 ? leading : candidates).map(({ memberId }) => memberId);
  return ids.sort()[0] ?? null;
}

/**
 * Gives one partition to one member and the others to nobody. A member that leads says so as it joins and goes on, so that
 * one who comes or goes interrupts nothing. Members run it in turn: all of them must be of one mind, hence its own name.
 */
export function oneLeaderAssigner(isLeading: () => boolean): PartitionAssigner {
  return (): Assigner => ({
    name: PROTOCOL,
    version: PROTOCOL_VERSION,
    protocol: ({ topics }) => ({
      name: PROTOCOL,
      metadata: MemberMetadata.encode({
        version: PROTOCOL_VERSION,
        topics,
        userData: Buffer.from(isLeading() ? CLAIM : ''),
      }),
    }),
    assign: async ({ members, topics }) => {
      const leader = decideGroupLeader(members.map(toCandidate));
      return members.map(({ memberId }) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: PROTOCOL_VERSION,
          assignment: memberId === leader ? Object.fromEntries(topics.map((topic) => [topic, [LEADER_PARTITION]])) : {},
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function toCandidate({ memberId, memberMetadata }: GroupMember): GroupCandidate {
  const userData = MemberMetadata.decode(memberMetadata)?.userData;
  return { memberId, isLeading: userData?.toString() === CLAIM };
}
