import { setTimeout as pause } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

const SERVE_LIMIT_MS = 30_000;

/** Makes those topics that are not there, and waits until they can be used; leaves the others as they are. */
export async function createTopics(bootstrap, topics, partitions) {
  if (topics.length === 0) return;
  const admin = new Kafka({ brokers: [bootstrap], clientId: 'evenshare-dev', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const known = new Set(await admin.listTopics());
    const missing = topics.filter((topic) => !known.has(topic));
    if (missing.length === 0) return;
    await admin.createTopics({
      waitForLeaders: true,
      topics: missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor: 1 })),
    });
    for (const topic of missing) await untilServed(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

/** A leader that is named may not know of it yet; these answers come from the leaders themselves. */
async function untilServed(admin, topic) {
  for (const giveUpMs = Date.now() + SERVE_LIMIT_MS; ; await pause(50)) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (Date.now() > giveUpMs) throw error;
    }
  }
}
