import type { Admin } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { CLIENT_RETRY, createKafka, type KafkaConnection } from './kafka-client.ts';
import { mapKafkaError, topicAbsent } from './kafka-errors.ts';
import { KafkaMessages, type KafkaMessagesOptions } from './kafka-messages.ts';
import { readTopicRights, type TopicRight } from './kafka-rights.ts';
import type { MessageSink, MessageSource, SourceLog } from './message-source.ts';

/** An answer waits so long for messages; also how soon a partition that is resumed is asked for again. */
const MAX_WAIT_MS = 200;
const MAX_BYTES_PER_PARTITION = 1_048_576;
const MAX_BYTES = 10_485_760;
/** How soon a partition that was added is seen. */
const METADATA_MAX_AGE_MS = 30_000;

/**
 * Joins the group and reads until `close` or a failure. Nothing is tried for ever in here: whoever holds it opens another.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH.
 */
export async function openKafkaMessages(options: KafkaMessagesOptions, sink: MessageSink): Promise<MessageSource> {
  const kafka = createKafka(options.connection, options.log);
  const admin = kafka.admin();
  const consumer = kafka.consumer({
    groupId: options.groupId,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: Math.max(60_000, options.sessionTimeoutMs),
    heartbeatInterval: Math.floor(options.sessionTimeoutMs / 10),
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
    minBytes: 1,
    maxBytes: MAX_BYTES,
    maxWaitTimeInMs: MAX_WAIT_MS,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    readUncommitted: false,
    // Begun again from outside, with a new consumer: one that kafkajs restarts cannot be stopped while it waits.
    retry: { ...CLIENT_RETRY, restartOnFailure: async () => false },
  });
  const messages = new KafkaMessages(options, sink, admin, consumer);
  try {
    await connectToTopic(admin, options.topic);
    await messages.join();
    return messages;
  } catch (error) {
    await messages.close();
    throw mapKafkaError(error, options.topic);
  }
}

/** A topic that is about to be used, where the configuration names it, and for what. */
export interface TopicUse {
  readonly topic: string;
  /** Default `kafka.topic`. */
  readonly setting?: string | undefined;
  readonly right: Exclude<TopicRight, 'Describe'>;
}

/**
 * Connects, asks whether the topic is there and may be used, and disconnects.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH naming the right that is missing.
 */
export async function checkKafkaTopic(connection: KafkaConnection, use: TopicUse, log: SourceLog): Promise<void> {
  const { topic, setting, right } = use;
  const kafka = createKafka(connection, log);
  const admin = kafka.admin();
  try {
    await connectToTopic(admin, topic, setting);
    const rights = await readTopicRights(kafka, topic);
    if (rights === null || rights.has(right)) return;
    throw new EvenshareError(
      'EVS_KAFKA_AUTH',
      `the Kafka brokers do not let this user ${right.toLowerCase()} topic ${JSON.stringify(topic)}: grant it ${right} there`,
    );
  } catch (error) {
    throw mapKafkaError(error, topic, setting);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function connectToTopic(admin: Admin, topic: string, setting?: string): Promise<void> {
  await admin.connect();
  if ((await admin.listTopics()).includes(topic)) return;
  // A list leaves out what this user may not see; asked for by name, the brokers say which it is.
  await admin.fetchTopicMetadata({ topics: [topic] });
  throw topicAbsent(topic, setting === undefined ? {} : { setting });
}
