export {
  type Adapter,
  type AdapterOptions,
  type AdapterOutcome,
  adapters,
  type CostUnit,
  eachOutcome,
  findAdapter,
  KNOWN_COLUMNS,
  type Known,
  type KnownColumn,
} from './adapters/index.ts';
export {
  type BatchWatch,
  type BatchWriter,
  type BatchWriterOptions,
  createBatchWriter,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
} from './batch/batch-writer.ts';
export { DEFAULT_GATHER_LIMITS, type GatherLimits } from './batch/flush-policy.ts';
export { isSkewed, type Submission, type SubmissionResult } from './batch/submission.ts';
export { DEFAULT_DEAD_LETTERS_TOPIC, withDeadLetterTopic } from './dead-letter-topic.ts';
export type { DeadLetter } from './dead-letters.ts';
export { decideRetryDelayMs, parseRetryAfterMs } from './emit/retry-delay.ts';
export type { DecisionEvent } from './event/decision-event.ts';
export { identityRelation, mergeDecisions } from './event/merge-events.ts';
export { type EventSink, kafkaSink, type SinkResult, storeSink } from './event-sink.ts';
export { type FollowFileOptions, followFile } from './follow/follow-file.ts';
export { type PositionStore, positionFile } from './follow/follow-position.ts';
export { createIngestMetrics, type IngestMetrics } from './ingest-metrics.ts';
export { type LoadFileOptions, loadFile } from './load-file.ts';
export type { LoadReport } from './load-report.ts';
export {
  PREVIEW_FIELDS,
  type Preview,
  type PreviewEvent,
  type PreviewField,
  type PreviewOptions,
  previewFile,
  refuseEmptyPreview,
} from './preview-file.ts';
export {
  type KeptLetter,
  previewRetry,
  type RetryFormat,
  type RetryOptions,
  type RetryResult,
  retryLetters,
} from './retry-letters.ts';
export { DEFAULT_MAX_BODY_BYTES, type HttpIntakeOptions, routeHttpIntake } from './sources/http-intake.ts';
export type { TraceFormats } from './sources/http-traces.ts';
export { type JobLeadership, startLeadership } from './sources/job-leadership.ts';
export {
  DEFAULT_KAFKA_CLIENT_ID,
  DEFAULT_KAFKA_GROUP,
  DEFAULT_KAFKA_TOPIC,
  type KafkaConnection,
} from './sources/kafka-client.ts';
export { createEventProducer, type EventProducer } from './sources/kafka-producer.ts';
export {
  DEFAULT_SESSION_TIMEOUT_MS,
  type KafkaProgress,
  type KafkaSource,
  type KafkaSourceOptions,
  startKafkaSource,
} from './sources/kafka-source.ts';
export { createMissingTopics, type TopicPlan, type TopicReport, type TopicState } from './sources/kafka-topics.ts';
