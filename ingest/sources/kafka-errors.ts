import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

const REFUSED = new Set([
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
/** The brokers' words to a client whose certificate is missing, or of nobody they know. */
const CLIENT_UNTRUSTED = new Set([
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
]);
/** What answers speaks no TLS. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
const REGROUPING = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);
/** Brokers that answer and cannot serve groups yet: as they come up, and the first time that a group is asked for. */
const COMING_UP = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_COORDINATOR',
  'KafkaJSGroupCoordinatorNotFound',
]);
const TOPIC_ABSENT = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION']);
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/**
 * A failure of the client or the brokers in words that a person can act on, with the original as its `cause`. What is
 * not known is taken for a broker that cannot be reached just now: trying again is always safe. `setting` is where the
 * configuration names the topic.
 */
export function mapKafkaError(error: unknown, topic: string, setting = DEFAULT_SETTING): EvenshareError {
  const own = causesOf(error).find((cause) => cause instanceof EvenshareError);
  if (own instanceof EvenshareError) return own;
  const marks = marksOf(error);
  const has = (known: ReadonlySet<string>): string | undefined => marks.find((mark) => known.has(mark));
  const refused = has(REFUSED) ?? marks.find((mark) => mark === 'KafkaJSSASLAuthenticationError');
  if (refused !== undefined) return refusedError(refused, topic, error);
  const untrusted = has(UNTRUSTED);
  if (untrusted !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_AUTH',
      `the certificate of the Kafka brokers is not trusted (${untrusted}): set kafka.ssl.ca to the authority that signed it`,
      { cause: error },
    );
  }
  const clientUntrusted = has(CLIENT_UNTRUSTED);
  if (clientUntrusted !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_AUTH',
      `the Kafka brokers do not take the certificate of this client (${clientUntrusted}): set kafka.ssl.cert and kafka.ssl.key to one that they trust`,
      { cause: error },
    );
  }
  const notTls = has(NOT_TLS);
  if (notTls !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_AUTH',
      `the Kafka brokers speak no TLS at that address (${notTls}): take kafka.ssl away, or name the port that does`,
      { cause: error },
    );
  }
  if (has(TOPIC_ABSENT) !== undefined) return topicAbsent(topic, { cause: error, setting });
  if (has(TOO_LARGE) !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_TOPIC',
      `an event is larger than topic ${JSON.stringify(topic)} takes: raise its max.message.bytes`,
      { cause: error },
    );
  }
  if (marks.includes('KafkaJSNotImplemented')) {
    return new EvenshareError(
      'EVS_KAFKA_TOPIC',
      `topic ${JSON.stringify(topic)} holds messages compressed in a way that is not read here: let producers use gzip or none`,
      { cause: error },
    );
  }
  const comingUp = has(COMING_UP);
  if (comingUp !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_UNREACHABLE',
      `the Kafka brokers do not serve consumer groups yet (${comingUp}): they may be starting; try again in a moment`,
      { cause: error, retryable: true },
    );
  }
  return new EvenshareError(
    'EVS_KAFKA_UNREACHABLE',
    `no Kafka broker answers (${shownMark(marks)}): check kafka.brokers and that Kafka is up, and kafka.ssl and kafka.sasl if it asks for them`,
    { cause: error, retryable: true },
  );
}

/** The group is dividing its partitions again, or has done so without this member. */
export function isRegrouping(error: unknown): boolean {
  return marksOf(error).some((mark) => REGROUPING.has(mark));
}

/** The topic is not there, and is not made by itself: a misspelt name would then read nothing for ever. */
export function topicAbsent(
  topic: string,
  { cause, setting = DEFAULT_SETTING }: { readonly cause?: unknown; readonly setting?: string } = {},
): EvenshareError {
  return new EvenshareError(
    'EVS_KAFKA_TOPIC',
    `topic ${JSON.stringify(topic)} is not on the Kafka brokers: create it with "evenshare topics create", or name another with ${setting}`,
    cause === undefined ? {} : { cause },
  );
}

const DEFAULT_SETTING = 'kafka.topic';

/** A topic of the same name, whose offsets begin anew: what was read of the one before says nothing of it. */
export function topicMadeAgain(topic: string): EvenshareError {
  return new EvenshareError(
    'EVS_KAFKA_TOPIC',
    `topic ${JSON.stringify(topic)} was deleted and made again: reading it from its beginning`,
    { retryable: true },
  );
}

function refusedError(mark: string, topic: string, cause: unknown): EvenshareError {
  return new EvenshareError('EVS_KAFKA_AUTH', refusedWords(mark, topic), { cause });
}

function refusedWords(mark: string, topic: string): string {
  switch (mark) {
    case 'TOPIC_AUTHORIZATION_FAILED':
      return missingRight(`topic ${JSON.stringify(topic)}`, 'Describe, and Read to ingest or Write to send');
    case 'GROUP_AUTHORIZATION_FAILED':
      return missingRight('the consumer group (kafka.group_id)', 'Read');
    case 'CLUSTER_AUTHORIZATION_FAILED':
      return missingRight('the cluster', 'Create');
    default:
      return 'the Kafka brokers refuse the credentials: check kafka.sasl (the mechanism, and what belongs to it)';
  }
}

const missingRight = (on: string, right: string): string =>
  `the Kafka brokers do not let this user use ${on}: grant it ${right}`;

/** Names, types and codes of an error and of what caused it, outermost first. */
function marksOf(error: unknown): string[] {
  return causesOf(error).flatMap(({ type, code, name }) =>
    [type, code, name].filter((mark) => typeof mark === 'string'),
  );
}

/** An error and what caused it, outermost first; of one that stands for several, the first of them. */
function causesOf(error: unknown): readonly Readonly<Record<string, unknown>>[] {
  const causes: Readonly<Record<string, unknown>>[] = [];
  for (let current: unknown = error; isObject(current) && causes.length < MAX_CAUSES; ) {
    causes.push(current);
    current = current.cause ?? (Array.isArray(current.errors) ? current.errors[0] : undefined);
  }
  return causes;
}

const MAX_CAUSES = 8;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The most telling of the marks: a system's code before a class of the client. */
function shownMark(marks: readonly string[]): string {
  const code = marks.find((mark) => /^[A-Z][A-Z0-9_]+$/.test(mark));
  return code ?? marks.find((mark) => mark !== 'Error' && !mark.includes('Retriable')) ?? 'unknown error';
}
