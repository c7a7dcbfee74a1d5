export { createEmitter } from './create-emitter.ts';
export type { EmittedCoverage, EmittedDecision, EmittedEvent, EmittedPool, EmittedTime } from './emitted-event.ts';
export type { Emitter, EmitterStats } from './emitter.ts';
export type {
  EmitterOptions,
  EmitterParts,
  EmitterTarget,
  EmitterTrouble,
  EmitterTuning,
} from './emitter-options.ts';
