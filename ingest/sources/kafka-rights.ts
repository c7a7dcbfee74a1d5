import type { Kafka } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

/** What a user may do with a topic, with Kafka's own codes of operations. */
const RIGHTS = { Read: 3, Write: 4, Describe: 8 } as const;
export type TopicRight = keyof typeof RIGHTS;

const METADATA_KEY = 3;
/** The first version that tells rights (Kafka 2.3), and none of its fields are of variable form. */
const METADATA_VERSION = 8;
/** What the brokers answer when they were not asked for rights. */
const NOT_TOLD = -2_147_483_648;

/**
 * What this user may do with a topic; null when the brokers do not tell. kafkajs asks in a version that knows no rights,
 * so that a missing one would be noticed with the first message.
 *
 * @throws What kafkajs throws.
 */
export async function readTopicRights(kafka: Kafka, topic: string): Promise<ReadonlySet<TopicRight> | null> {
  const cluster = clusterOf(kafka);
  try {
    await cluster.connect();
    const { versions, connectionPool } = cluster.brokerPool.seedBroker;
    if ((versions[METADATA_KEY]?.maxVersion ?? 0) < METADATA_VERSION) return null;
    const exchange = { request: metadataRequest(topic), response: METADATA_RESPONSE };
    const operations = await connectionPool.send(exchange);
    if (operations === NOT_TOLD) return null;
    const has = (right: TopicRight): boolean => (operations & (1 << RIGHTS[right])) !== 0;
    return new Set<TopicRight>((['Read', 'Write', 'Describe'] as const).filter(has));
  } finally {
    await cluster.disconnect();
  }
}

/** https://kafka.apache.org/protocol: Metadata Request (Version: 8). */
function metadataRequest(topic: string) {
  const name = Buffer.from(topic);
  const head = Buffer.alloc(6);
  head.writeInt32BE(1);
  head.writeInt16BE(name.length, 4);
  // Makes no topic; rights of the cluster are not asked for, those of the topic are.
  const buffer = Buffer.concat([head, name, Buffer.of(0, 0, 1)]);
  return {
    apiKey: METADATA_KEY,
    apiVersion: METADATA_VERSION,
    apiName: 'Metadata',
    encode: async () => ({ buf: buffer, buffer }),
  };
}

const METADATA_RESPONSE = {
  decode: async (raw: Buffer): Promise<Buffer> => raw,
  parse: async (raw: Buffer): Promise<number> => parseOperations(raw),
};

/** The operations of the one topic that was asked for: behind it the answer ends with those of the cluster. */
function parseOperations(raw: Buffer): number {
  const ofTopicAndCluster = 8;
  return raw.length < ofTopicAndCluster ? NOT_TOLD : raw.readInt32BE(raw.length - ofTopicAndCluster);
}

/** What is used of inner classes of kafkajs. */
interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  readonly brokerPool: { readonly seedBroker: Broker };
}
interface Broker {
  readonly versions: Readonly<Record<number, { readonly maxVersion: number } | undefined>>;
  readonly connectionPool: {
    send(exchange: {
      readonly request: ReturnType<typeof metadataRequest>;
      readonly response: typeof METADATA_RESPONSE;
    }): Promise<number>;
  };
}

function clusterOf(kafka: Kafka): Cluster {
  const key = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create: unknown = key === undefined ? undefined : Reflect.get(kafka, key);
  const cluster: unknown = typeof create === 'function' ? create({ allowAutoTopicCreation: false }) : undefined;
  if (isCluster(cluster)) return cluster;
  throw new EvenshareError('EVS_INVARIANT', 'kafkajs is not the version that the check of rights was made for');
}

function isCluster(value: unknown): value is Cluster {
  return typeof value === 'object' && value !== null && 'connect' in value && 'brokerPool' in value;
}
