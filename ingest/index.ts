export {
  type Adapter,
  type AdapterOptions,
  adapters,
  type CostUnit,
  findAdapter,
} from './adapters/index.ts';
export {
  type BatchWriter,
  type BatchWriterOptions,
  createBatchWriter,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
} from './batch/batch-writer.ts';
export { type EventSink, kafkaSink, type SinkResult, storeSink } from './event-sink.ts';
export { createIngestMetrics, type IngestMetrics } from './ingest-metrics.ts';
export { type LoadFileOptions, type LoadReport, loadFile } from './load-file.ts';
export { DEFAULT_MAX_BODY_BYTES, type HttpIntakeOptions, routeHttpIntake } from './sources/http-intake.ts';
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
