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
export { createIngestMetrics, type IngestMetrics } from './ingest-metrics.ts';
export { type LoadFileOptions, type LoadReport, loadFile } from './load-file.ts';
export { DEFAULT_MAX_BODY_BYTES, type HttpIntakeOptions, routeHttpIntake } from './sources/http-intake.ts';
