import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { Adapter } from './adapter.ts';
import { azureLlmAdapter } from './azure-llm.ts';
import { cloudEventsAdapter } from './cloudevents.ts';
import { csvAdapter } from './csv.ts';
import { evenshareAdapter } from './evenshare.ts';
import { swfAdapter } from './swf.ts';
import { vtcAdapter } from './vtc.ts';

export {
  type Adapter,
  type AdapterOptions,
  type CostUnit,
  type FramedRecord,
  type RawRecord,
  type RefusedRecord,
  rawBytes,
} from './adapter.ts';

/** Every log format, in the order of the help text. */
export const adapters: readonly Adapter[] = [
  evenshareAdapter,
  cloudEventsAdapter,
  csvAdapter,
  vtcAdapter,
  azureLlmAdapter,
  swfAdapter,
];

/** The adapter of a format; throws `EVS_USAGE` naming those that exist. */
export function findAdapter(name: string): Adapter {
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  const names = adapters.map((adapter) => adapter.name).join(', ');
  throw new EvenshareError('EVS_USAGE', `--format ${JSON.stringify(name)} is not known: use one of ${names}`);
}
