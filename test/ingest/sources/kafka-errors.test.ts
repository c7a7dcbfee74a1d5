import { describe, expect, it } from 'vitest';
import { isRegrouping, mapKafkaError, topicAbsent } from '../../../ingest/sources/kafka-errors.ts';

const failure = (marks: { readonly type?: string; readonly code?: string; readonly name?: string }, cause?: unknown) =>
  Object.assign(new Error('broker 10.1.2.3:9092 said hunter2', { cause }), marks);

describe('a failure of Kafka', () => {
  it.each([
    [failure({ name: 'KafkaJSConnectionError', code: 'ECONNREFUSED' }), 'EVS_KAFKA_UNREACHABLE', '(ECONNREFUSED)'],
    [failure({ name: 'KafkaJSConnectionClosedError' }), 'EVS_KAFKA_UNREACHABLE', '(KafkaJSConnectionClosedError)'],
    [new Error('anything else'), 'EVS_KAFKA_UNREACHABLE', '(unknown error)'],
    ['not even an error', 'EVS_KAFKA_UNREACHABLE', '(unknown error)'],
    [failure({ name: 'KafkaJSSASLAuthenticationError' }), 'EVS_KAFKA_AUTH', 'kafka.sasl'],
    [failure({ type: 'GROUP_AUTHORIZATION_FAILED' }), 'EVS_KAFKA_AUTH', 'grant it'],
    [failure({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'EVS_KAFKA_AUTH', 'kafka.ssl.ca'],
    [failure({ type: 'UNKNOWN_TOPIC_OR_PARTITION' }), 'EVS_KAFKA_TOPIC', 'topic "t" is not on the Kafka brokers'],
    [failure({ type: 'MESSAGE_TOO_LARGE' }), 'EVS_KAFKA_TOPIC', 'max.message.bytes'],
    [failure({ name: 'KafkaJSNotImplemented' }), 'EVS_KAFKA_TOPIC', 'compressed'],
  ])('%s is %s, in words that say how to mend it', (error, code, words) => {
    for (const given of [error, failure({ name: 'KafkaJSNumberOfRetriesExceeded' }, error)]) {
      const mapped = mapKafkaError(given, 't');
      expect(mapped).toMatchObject({ code, retryable: code === 'EVS_KAFKA_UNREACHABLE' });
      expect(mapped.message).toMatch(/^[^\n]+$/);
      expect(mapped.message).not.toMatch(/hunter2|10\.1\.2\.3/);
      expect(mapped.cause).toBe(given);
    }
    expect(mapKafkaError(error, 't').message).toContain(words);
  });

  it('that has its words already keeps them', () => {
    const absent = topicAbsent('t');
    expect(mapKafkaError(absent, 'other')).toBe(absent);
  });

  it('ends, also when it is its own cause', () => {
    const error = failure({ name: 'Odd' });
    error.cause = error;
    expect(mapKafkaError(error, 't').code).toBe('EVS_KAFKA_UNREACHABLE');
  });

  it('is told apart from a group that divides itself again', () => {
    expect(isRegrouping(failure({}, failure({ type: 'ILLEGAL_GENERATION' })))).toBe(true);
    expect(isRegrouping(failure({ type: 'COORDINATOR_LOAD_IN_PROGRESS' }))).toBe(false);
  });
});
