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
 * not known is taken for a broker that cannot be reached just now: trying again is always safe.
 */
export function mapKafkaError(error: unknown, topic: string): EvenshareError {
  if (error instanceof EvenshareError) return error;
  const marks = marksOf(error);
  const has = (known: ReadonlySet<string>): string | undefined => marks.find((mark) => known.has(mark));
  const refused = has(REFUSED) ?? marks.find((mark) => mark === 'KafkaJSSASLAuthenticationError');
  if (refused !== undefined) return refusedError(refused, error);
  const untrusted = has(UNTRUSTED);
  if (untrusted !== undefined) {
    return new EvenshareError(
      'EVS_KAFKA_AUTH',
      `the certificate of the Kafka brokers is not trusted (${untrusted}): set kafka.ssl.ca to the authority that signed it`,
      { cause: error },
    );
  }
  if (has(TOPIC_ABSENT) !== undefined) return topicAbsent(topic, error);
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
export function topicAbsent(topic: string, cause?: unknown): EvenshareError {
  return new EvenshareError(
    'EVS_KAFKA_TOPIC',
    `topic ${JSON.stringify(topic)} is not on the Kafka brokers: create it, or name another with kafka.topic`,
    cause === undefined ? {} : { cause },
  );
}

function refusedError(mark: string, cause: unknown): EvenshareError {
  const isPermission = mark.endsWith('_AUTHORIZATION_FAILED');
  return new EvenshareError(
    'EVS_KAFKA_AUTH',
    isPermission
      ? `the Kafka brokers do not let this user do that (${mark}): grant it Read and Describe on the topic and the group, and Write for the intake`
      : 'the Kafka brokers refuse the credentials: check kafka.sasl (mechanism, username, password)',
    { cause },
  );
}

/** Names, types and codes of an error and of what caused it, outermost first. */
function marksOf(error: unknown): string[] {
  const marks: string[] = [];
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 8; current = current.cause, depth++) {
    for (const mark of [current.type, current.code, current.name]) {
      if (typeof mark === 'string') marks.push(mark);
    }
  }
  return marks;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The most telling of the marks: a system's code before a class of the client. */
function shownMark(marks: readonly string[]): string {
  const code = marks.find((mark) => /^[A-Z][A-Z0-9_]+$/.test(mark));
  return code ?? marks.find((mark) => mark !== 'Error' && !mark.includes('Retriable')) ?? 'unknown error';
}
