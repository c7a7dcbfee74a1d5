import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { Adapter } from './adapter.ts';
import { apacheAdapter } from './apache.ts';
import { azureLlmAdapter } from './azure-llm.ts';
import { cloudEventsAdapter } from './cloudevents.ts';
import { csvAdapter } from './csv.ts';
import { envoyAdapter } from './envoy.ts';
import { envoyAiGatewayAdapter } from './envoy-ai-gateway.ts';
import { evenshareAdapter } from './evenshare.ts';
import { k8sAuditAdapter } from './k8s-audit.ts';
import { kongAdapter } from './kong.ts';
import { litellmAdapter } from './litellm.ts';
import { mooncakeAdapter } from './mooncake.ts';
import { nginxAdapter } from './nginx.ts';
import { otelGenaiAdapter } from './otel-genai.ts';
import { swfAdapter } from './swf.ts';
import { vllmAdapter } from './vllm.ts';
import { vtcAdapter } from './vtc.ts';

export {
  type Adapter,
  type AdapterOptions,
  type AdapterOutcome,
  type CostUnit,
  eachOutcome,
  type FramedRecord,
  KNOWN_COLUMNS,
  type Known,
  type KnownColumn,
  type RawRecord,
  type RefusedRecord,
  rawBytes,
} from './adapter.ts';

/** Every log format, in the order of the help text. */
export const adapters: readonly Adapter[] = [
  evenshareAdapter,
  cloudEventsAdapter,
  csvAdapter,
  envoyAdapter,
  envoyAiGatewayAdapter,
  litellmAdapter,
  kongAdapter,
  otelGenaiAdapter,
  nginxAdapter,
  vllmAdapter,
  k8sAuditAdapter,
  apacheAdapter,
  vtcAdapter,
  azureLlmAdapter,
  mooncakeAdapter,
  swfAdapter,
];

/** The adapter of a format; throws `EVS_USAGE` naming those that exist. */
export function findAdapter(name: string): Adapter {
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  const names = adapters.map((adapter) => adapter.name).join(', ');
  throw new EvenshareError('EVS_USAGE', `--format ${JSON.stringify(name)} is not known: use one of ${names}`);
}
