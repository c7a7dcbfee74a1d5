export { type WaitDistance, waitDistance } from './fidelity.ts';
export { type LoadEnvelope, loadEnvelope } from './load-envelope.ts';
export { kindOfRecorded, type RecordedKind, type RecordedRequest } from './recorded-request.ts';
export { AS_RECORDED, meanCost, type ReplayOptions, replay } from './replay.ts';
export type { Fidelity, FidelityUnknown, ReplayResult } from './replay-result.ts';
export type { ServiceBasis } from './service-times.ts';
