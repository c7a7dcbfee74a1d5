import { type IngestConfig, KAFKA_SECRETS, saslOf, tlsOf } from '../ingest/config.ts';
import {
  type AdapterOptions,
  DEFAULT_DEAD_LETTERS_TOPIC,
  DEFAULT_KAFKA_CLIENT_ID,
  DEFAULT_KAFKA_GROUP,
  DEFAULT_KAFKA_TOPIC,
  DEFAULT_SESSION_TIMEOUT_MS,
  findAdapter,
  type KafkaConnection,
} from '../ingest/index.ts';
import { EvenshareError } from '../scheduler-core/kernel/index.ts';

export interface KafkaConfig {
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** Null: dead letters go to their table alone. */
  readonly deadLettersTopic: string | null;
  /** Whether the file names that topic; false: it is the default, and used where it is there. */
  readonly hasDeadLettersTopic: boolean;
  readonly groupId: string;
  /** Where a group begins that has committed nothing. */
  readonly fromBeginning: boolean;
  /** The same, at a moment: epoch ms; null: by `fromBeginning`. */
  readonly startAtMs: number | null;
  readonly sessionTimeoutMs: number;
  readonly format: string;
  readonly adapterOptions: AdapterOptions;
}

type KafkaFile = NonNullable<IngestConfig['kafka']>;

/** @throws EVS_CONFIG for what the schema cannot say: keys that belong together, a mapping that the format refuses. */
export function toKafka(kafka: KafkaFile | undefined, parseMs: (duration: string) => number): KafkaConfig | null {
  if (kafka === undefined) return null;
  const ssl = tlsOf(kafka.ssl);
  const sasl = saslOf(kafka.sasl);
  if (kafka.start_at !== undefined && kafka.from_beginning !== undefined) {
    throw new EvenshareError('EVS_CONFIG', 'kafka: start_at and from_beginning exclude each other');
  }
  const topic = kafka.topic ?? DEFAULT_KAFKA_TOPIC;
  const deadLettersTopic = kafka.dead_letters_topic ?? DEFAULT_DEAD_LETTERS_TOPIC;
  if (deadLettersTopic === topic) {
    throw new EvenshareError('EVS_CONFIG', 'kafka.dead_letters_topic: dead letters would be read as events again');
  }
  return {
    connection: {
      brokers: kafka.brokers,
      clientId: kafka.client_id ?? DEFAULT_KAFKA_CLIENT_ID,
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl }),
    },
    topic,
    deadLettersTopic: deadLettersTopic === '' ? null : deadLettersTopic,
    hasDeadLettersTopic: kafka.dead_letters_topic !== undefined,
    groupId: kafka.group_id ?? DEFAULT_KAFKA_GROUP,
    fromBeginning: kafka.from_beginning ?? true,
    startAtMs: kafka.start_at === undefined ? null : momentOf(kafka.start_at),
    sessionTimeoutMs: kafka.session_timeout === undefined ? DEFAULT_SESSION_TIMEOUT_MS : parseMs(kafka.session_timeout),
    ...toFormat(kafka),
  };
}

function momentOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isFinite(ms)) return ms;
  throw new EvenshareError('EVS_CONFIG', `kafka.start_at: "${text}" is no time: write 2026-11-01T10:05:00Z`);
}

/** The format of the topic's messages; a wrong option or mapping of it is told before anything starts. */
function toFormat(kafka: KafkaFile): Pick<KafkaConfig, 'format' | 'adapterOptions'> {
  const format = kafka.format ?? 'evenshare';
  const adapterOptions = {
    defaultPool: kafka.pool ?? 'default',
    tenant: kafka.tenant ?? null,
    options: kafka.options ?? {},
    mapping: kafka.mapping ?? null,
  };
  try {
    findAdapter(format).open(adapterOptions);
  } catch (cause) {
    if (!(cause instanceof EvenshareError)) throw cause;
    throw new EvenshareError('EVS_CONFIG', `kafka: ${cause.message}`, { cause });
  }
  return { format, adapterOptions };
}

/** Secrets of the section that stand in the file as they are, before the environment is filled in: one line each. */
export function literalSecrets(file: unknown): string[] {
  return KAFKA_SECRETS.flatMap((path) => {
    const value = ['kafka', ...path].reduce<unknown>(
      (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
      file,
    );
    if (typeof value !== 'string' || /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(value)) return [];
    return [`kafka.${path.join('.')}: a secret is not written here: write "\${NAME}" and set that variable`];
  });
}
