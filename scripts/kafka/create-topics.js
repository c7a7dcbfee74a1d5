import { Kafka, logLevel } from 'kafkajs';

/** Makes those topics that are not there; leaves the others as they are. */
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
    // Leaders that are named may not serve yet; these answers come from them.
    for (const topic of missing) await admin.fetchTopicOffsets(topic);
  } finally {
    await admin.disconnect();
  }
}
