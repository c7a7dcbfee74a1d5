import type { Admin } from 'kafkajs';
import type { PartitionOffsets } from './kafka-positions.ts';

/**
 * What the brokers say of every partition of a topic, and of what a group has committed in it; with a moment (epoch ms),
 * where a group begins that has committed nothing.
 */
export async function readOffsets(
  admin: Admin,
  { topic, groupId, startAtMs = null }: { topic: string; groupId: string; startAtMs?: number | null },
): Promise<ReadonlyMap<number, PartitionOffsets>> {
  const [committed, ofTopic, ofMoment] = await Promise.all([
    readCommitted(admin, topic, groupId),
    admin.fetchTopicOffsets(topic),
    startAtMs === null ? [] : admin.fetchTopicOffsetsByTimestamp(topic, startAtMs),
  ]);
  const atStart = new Map(ofMoment.map(({ partition, offset }) => [partition, parseOffset(offset)]));
  return new Map(
    ofTopic.map(({ partition, low, high }) => [
      partition,
      {
        committed: committed.get(partition) ?? null,
        first: Number(low),
        end: Number(high),
        // Nothing was written since: what comes next.
        ...(startAtMs === null ? {} : { atStart: atStart.get(partition) ?? Number(high) }),
      },
    ]),
  );
}

/** What a group has committed in each partition of a topic; null where it has not. */
export async function readCommitted(
  admin: Admin,
  topic: string,
  groupId: string,
): Promise<ReadonlyMap<number, number | null>> {
  const ofGroup = await admin.fetchOffsets({ groupId, topics: [topic] });
  return new Map(
    ofGroup.flatMap(({ partitions }) => partitions).map(({ partition, offset }) => [partition, parseOffset(offset)]),
  );
}

/** Where every partition of a topic ends now. */
export async function readEnds(admin: Admin, topic: string): Promise<ReadonlyMap<number, number>> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
}

/** An offset as the client writes it; null for its markers of an absent one (below 0). */
function parseOffset(text: string): number | null {
  const offset = Number(text);
  return offset >= 0 ? offset : null;
}
