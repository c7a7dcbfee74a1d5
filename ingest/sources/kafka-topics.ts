import type { Admin, ConfigResourceTypes } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { createKafka, type KafkaConnection } from './kafka-client.ts';
import { mapKafkaError } from './kafka-errors.ts';
import type { SourceLog } from './message-source.ts';

/** How a topic is to be. */
export interface TopicPlan {
  readonly name: string;
  readonly partitions: number;
  /** Null: the brokers' own default. */
  readonly replication: number | null;
  /** How long messages are kept, ms. */
  readonly retentionMs: number;
}

/** How a topic is; null where the brokers do not tell. */
export interface TopicState {
  readonly partitions: number;
  readonly replication: number | null;
  /** -1: for ever. */
  readonly retentionMs: number | null;
}

export interface TopicReport {
  readonly name: string;
  /** `planned`: it would be created. */
  readonly outcome: 'created' | 'planned' | 'exists';
  /** Null for one that is only planned. */
  readonly is: TopicState | null;
  /** What of the plan an existing topic does not fulfil: it is left as it is. */
  readonly differs: readonly (keyof TopicState)[];
}

const CREATE_LIMIT_MS = 15_000;
const RETENTION = 'retention.ms';
/** kafkajs has the name, but shows it to nobody who imports by name. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2;

/**
 * Creates the topics that are not there; leaves those that are as they are, and says where they differ from the plan.
 *
 * @throws EVS_KAFKA_UNREACHABLE (retryable), EVS_KAFKA_AUTH, EVS_KAFKA_TOPIC for a plan that the brokers refuse.
 */
export async function createMissingTopics(
  connection: KafkaConnection,
  plans: readonly TopicPlan[],
  { isDryRun, log }: { readonly isDryRun: boolean; readonly log: SourceLog },
): Promise<TopicReport[]> {
  const admin = createKafka(connection, log).admin();
  let name = plans[0]?.name ?? '';
  try {
    await admin.connect();
    const reports: TopicReport[] = [];
    for (const plan of plans) {
      name = plan.name;
      reports.push(await createOne(admin, plan, isDryRun));
    }
    return reports;
  } catch (error) {
    throw mapTopicError(error, name);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function createOne(admin: Admin, plan: TopicPlan, isDryRun: boolean): Promise<TopicReport> {
  const { name, partitions, replication, retentionMs } = plan;
  const before = await readTopic(admin, name);
  if (before === null && isDryRun) return { name, outcome: 'planned', is: null, differs: [] };
  let isCreated = false;
  if (before === null) {
    // False: another process was faster.
    isCreated = await admin.createTopics({
      waitForLeaders: false,
      timeout: CREATE_LIMIT_MS,
      topics: [
        {
          topic: name,
          numPartitions: partitions,
          replicationFactor: replication ?? -1,
          configEntries: [{ name: RETENTION, value: String(retentionMs) }],
        },
      ],
    });
  }
  const is = before ?? (isCreated ? { partitions, replication, retentionMs } : await readNewTopic(admin, name));
  return { name, outcome: isCreated ? 'created' : 'exists', is, differs: is === null ? [] : differences(plan, is) };
}

function differences(plan: TopicPlan, is: TopicState): (keyof TopicState)[] {
  return (['partitions', 'replication', 'retentionMs'] as const).filter(
    (key) => plan[key] !== null && is[key] !== null && plan[key] !== is[key],
  );
}

/** Brokers tell of what has just been made a little later: each asking takes them a moment. */
const ASKED_AT_MOST = 200;

/** What another process has just made; null where the brokers keep silent on it. */
async function readNewTopic(admin: Admin, name: string): Promise<TopicState | null> {
  for (let asked = 0; asked < ASKED_AT_MOST; asked++) {
    const is = await readTopic(admin, name);
    if (is !== null) return is;
  }
  return null;
}

/** Null: it is not there. */
async function readTopic(admin: Admin, name: string): Promise<TopicState | null> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    const partitions = topics.find((topic) => topic.name === name)?.partitions ?? [];
    if (partitions.length === 0) return null;
    const replicas = partitions[0]?.replicas;
    return {
      partitions: partitions.length,
      replication: replicas === undefined ? null : replicas.length,
      retentionMs: await readRetention(admin, name),
    };
  } catch (error) {
    const mapped = mapKafkaError(error, name);
    if (mapped.code === 'EVS_KAFKA_TOPIC') return null;
    throw error;
  }
}

/** Null for a user who may not see it. */
async function readRetention(admin: Admin, name: string): Promise<number | null> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name, configNames: [RETENTION] }],
    });
    const entry = resources[0]?.configEntries.find(({ configName }) => configName === RETENTION);
    return entry === undefined ? null : Number(entry.configValue);
  } catch (error) {
    if (mapKafkaError(error, name).code === 'EVS_KAFKA_AUTH') return null;
    throw error;
  }
}

const REFUSED_PLANS: Readonly<Record<string, string>> = {
  INVALID_REPLICATION_FACTOR: 'there are fewer brokers than replicas: lower --replication',
  INVALID_PARTITIONS: 'the brokers refuse that many partitions: lower --partitions',
  POLICY_VIOLATION: 'the cluster has a policy against it: ask its operator for partitions, replication and retention',
  INVALID_CONFIG: 'the brokers refuse that retention: change --retention',
};

function mapTopicError(error: unknown, name: string): EvenshareError {
  const mapped = mapKafkaError(error, name);
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 8; depth++) {
    const words = typeof current.type === 'string' ? REFUSED_PLANS[current.type] : undefined;
    if (words !== undefined) {
      return new EvenshareError('EVS_KAFKA_TOPIC', `topic ${JSON.stringify(name)} was not created: ${words}`, {
        cause: error,
      });
    }
    current = current.cause ?? (Array.isArray(current.errors) ? current.errors[0] : undefined);
  }
  if (mapped.code !== 'EVS_KAFKA_AUTH' || !mapped.message.includes('do not let this user')) return mapped;
  return new EvenshareError(
    'EVS_KAFKA_AUTH',
    `the Kafka brokers do not let this user create topic ${JSON.stringify(name)}: grant it Create on the topic or the cluster`,
    { cause: error },
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
