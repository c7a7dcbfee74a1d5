import type { Consumer } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { CLIENT_RETRY, createKafka, type KafkaConnection } from './kafka-client.ts';
import { mapKafkaError } from './kafka-errors.ts';
import { LEADER_PARTITION, oneLeaderAssigner } from './leader-assigner.ts';
import type { LeaderSession } from './leader-session.ts';
import type { SourceClock, SourceLog } from './message-source.ts';

export interface LeadershipOptions {
  readonly connection: KafkaConnection;
  /** One that is there: the members divide its first partition. None of its messages is read. */
  readonly topic: string;
  readonly groupId: string;
  readonly clock: SourceClock;
  readonly log: SourceLog;
  /** How long the group waits for a member that is silent before another one leads, ms. */
  readonly sessionTimeoutMs: number;
}

/** How many heartbeats fit into a session. */
const HEARTBEATS_PER_SESSION = 10;
const METADATA_MAX_AGE_MS = 60_000;
/** The requests whose answers begin and renew a session. */
const RENEWING = ['SyncGroup', 'Heartbeat'];

/** One membership of the group, from joining to leaving. It takes part in nothing but the dividing. */
export interface LeaderMembership {
  /** Rejects when the membership has ended by itself: `EVS_KAFKA_…`. Never resolves. */
  readonly failed: Promise<never>;
  /** Leaves the group and disconnects. Never rejects. */
  close(): Promise<void>;
}

/**
 * Joins the group; resolves once it has been divided.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_TOPIC, EVS_KAFKA_AUTH.
 */
export async function joinLeaderGroup(options: LeadershipOptions, session: LeaderSession): Promise<LeaderMembership> {
  const { topic, groupId, sessionTimeoutMs, clock } = options;
  const heartbeatMs = Math.floor(sessionTimeoutMs / HEARTBEATS_PER_SESSION);
  const consumer = createKafka(options.connection, options.log).consumer({
    groupId,
    partitionAssigners: [oneLeaderAssigner(() => session.isLeading(clock.nowMs()))],
    sessionTimeout: sessionTimeoutMs,
    // Not below the session: who does not join again in time is put out, and by then must have stopped leading.
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatMs,
    // Nothing is fetched; kafkajs waits for so long in between heartbeats.
    maxWaitTimeInMs: heartbeatMs,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    retry: { ...CLIENT_RETRY, restartOnFailure: async () => false },
  });
  const membership = new Membership(options, session, consumer);
  try {
    await membership.join();
    return membership;
  } catch (error) {
    await membership.close();
    throw membershipError(error, topic, groupId);
  }
}

class Membership implements LeaderMembership {
  readonly failed: Promise<never>;
  readonly #options: LeadershipOptions;
  readonly #session: LeaderSession;
  readonly #consumer: Consumer;
  #running: Promise<void> | null = null;
  #isClosing = false;
  /** When the request was sent that was answered last, of those that renew the session; epoch ms. */
  #sentMs = Number.NEGATIVE_INFINITY;
  #fail: (error: EvenshareError) => void = () => undefined;

  constructor(options: LeadershipOptions, session: LeaderSession, consumer: Consumer) {
    this.#options = options;
    this.#session = session;
    this.#consumer = consumer;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Whoever awaits it learns of it.
    this.failed.catch(() => undefined);
  }

  async join(): Promise<void> {
    const { topic, groupId, clock } = this.#options;
    const { events } = this.#consumer;
    // kafkajs tells of the answer first, and then of what it means.
    this.#consumer.on(events.REQUEST, ({ payload }) => {
      if (RENEWING.includes(payload.apiName)) this.#sentMs = clock.nowMs() - payload.duration;
    });
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment[topic] ?? []));
    this.#consumer.on(events.HEARTBEAT, () => this.#session.renewed(this.#sentMs));
    this.#consumer.on(events.CRASH, ({ payload }) => {
      this.#session.ended();
      this.#fail(membershipError(payload.error, topic, groupId));
    });
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [topic], fromBeginning: false });
    this.#running = this.#consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => {} });
    await Promise.race([this.#running, this.failed]);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#session.ended();
    // A consumer that is stopped while it joins would go on afterwards.
    await Promise.race([this.#running, this.failed.catch(() => undefined)]);
    await this.#consumer
      .disconnect()
      .catch((error: unknown) =>
        this.#options.log.debug(
          { cause: mapKafkaError(error, this.#options.topic).message },
          'Kafka was left untidily',
        ),
      );
  }

  /** Called by kafkajs between joining and the first fetch. The pause is of the topic, whatever is assigned later. */
  #joined(partitions: readonly number[]): void {
    if (this.#isClosing) return;
    this.#consumer.pause([{ topic: this.#options.topic }]);
    this.#session.joined(partitions.includes(LEADER_PARTITION), this.#sentMs);
  }
}

/** Names the group: it is not that of the configuration. */
function membershipError(error: unknown, topic: string, groupId: string): EvenshareError {
  const mapped = mapKafkaError(error, topic);
  if (mapped.code !== 'EVS_KAFKA_AUTH' || !mapped.message.includes('the consumer group')) return mapped;
  return new EvenshareError(
    'EVS_KAFKA_AUTH',
    `the Kafka brokers do not let this user use the consumer group ${JSON.stringify(groupId)}, whose members choose the one that runs jobs: grant it Read`,
    { cause: error },
  );
}
