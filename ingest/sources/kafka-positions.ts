/** What the broker says of a partition. */
export interface PartitionOffsets {
  /** What the group has committed; null when it has not. */
  readonly committed: number | null;
  /** The oldest message that is kept. */
  readonly first: number;
  /** Beyond the newest. */
  readonly end: number;
}

export interface StartDecision {
  readonly offset: number;
  /**
   * - `committed`: where the group stopped;
   * - `beginning`, `end`: a new group, as configured;
   * - `deleted`: what the group had not read yet is gone, by retention; from the oldest that is left;
   * - `made_again`: the group is ahead of the partition, so this is another topic of the name (or it was cut back).
   */
  readonly reason: 'committed' | 'beginning' | 'end' | 'deleted' | 'made_again';
}

/** Where to begin. Never beyond a message that the group has not stored, if that message is still there. */
export function decideStart(offsets: PartitionOffsets, fromBeginning: boolean): StartDecision {
  const { committed, first, end } = offsets;
  if (committed === null) {
    return fromBeginning ? { offset: first, reason: 'beginning' } : { offset: end, reason: 'end' };
  }
  if (committed < first) return { offset: first, reason: 'deleted' };
  if (committed > end) return { offset: first, reason: 'made_again' };
  return { offset: committed, reason: 'committed' };
}

/** What is to be said where a partition is not simply read on; null where nothing is. */
export const START_WARNINGS: Readonly<Record<StartDecision['reason'], string | null>> = {
  committed: null,
  beginning: null,
  end: null,
  deleted: "the topic's retention deleted messages before they were read: reading on from the oldest that is left",
  made_again: 'the partition ends before what was committed, so the topic was made again: reading from its beginning',
};

/**
 * How many messages of a partition are yet to be stored. Null while either figure is unknown; never below 0: the end was
 * asked for earlier than the position.
 */
export function lagMessages(storedOffset: number | null, endOffset: number | null): number | null {
  if (storedOffset === null || endOffset === null) return null;
  return Math.max(0, endOffset - storedOffset);
}
