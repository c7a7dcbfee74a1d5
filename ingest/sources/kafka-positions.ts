/** What the broker says of a partition. */
export interface PartitionOffsets {
  /** What the group has committed; null when it has not. */
  readonly committed: number | null;
  /** The oldest message that is kept. */
  readonly first: number;
  /** Beyond the newest. */
  readonly end: number;
  /** The first message written at the moment that was asked for, or later; absent: none was. */
  readonly atStart?: number;
}

export interface StartDecision {
  readonly offset: number;
  /**
   * - `committed`: where the group stopped;
   * - `beginning`, `end`, `moment`: a new group, as configured;
   * - `deleted`: what the group had not read yet is gone, by retention; from the oldest that is left;
   * - `made_again`: the group is ahead of the partition, so this is another topic of the name (or it was cut back).
   */
  readonly reason: 'committed' | 'beginning' | 'end' | 'moment' | 'deleted' | 'made_again';
}

/** Where to begin. Never beyond a message that the group has not stored, if that message is still there. */
export function decideStart(offsets: PartitionOffsets, fromBeginning: boolean): StartDecision {
  const { committed, first, end, atStart } = offsets;
  if (committed === null) {
    if (atStart !== undefined) return { offset: atStart, reason: 'moment' };
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
  moment: null,
  deleted: "the topic's retention deleted messages before they were read: reading on from the oldest that is left",
  made_again: 'the partition ends before what was committed, so the topic was made again: reading from its beginning',
};

/**
 * Where to go on when a fetch came from elsewhere than asked for. From before: the client found the position out of range,
 * for the topic was made again and is shorter, or it is a leftover; reading something twice changes nothing. From beyond:
 * back to the position, unless brokers have forgotten what was committed, as they do with a topic that is deleted.
 */
export function decideReturn(
  at: { readonly nextOffset: number; readonly fetchedOffset: number; readonly isCommitted: boolean },
  offsets: PartitionOffsets,
): number {
  if (at.fetchedOffset < at.nextOffset) return at.fetchedOffset;
  return at.isCommitted && offsets.committed === null ? offsets.first : at.nextOffset;
}

/**
 * How many messages of a partition are yet to be stored. Null while either figure is unknown; never below 0: the end was
 * asked for earlier than the position.
 */
export function lagMessages(storedOffset: number | null, endOffset: number | null): number | null {
  if (storedOffset === null || endOffset === null) return null;
  return Math.max(0, endOffset - storedOffset);
}

/** How far a partition is behind in time, ms: see `PartitionProgress.lagMs`. */
export function ageMs(lag: number | null, storedWrittenAtMs: number | null, nowMs: number): number | null {
  if (lag === 0) return 0;
  return lag === null || storedWrittenAtMs === null ? null : Math.max(0, nowMs - storedWrittenAtMs);
}
