import { type Static, Type } from 'typebox';
import { DAY_MS, DURATION_PATTERN, MINUTE_MS } from '../scheduler-core/kernel/index.ts';
import { MAX_POOL, MAX_TENANT } from './event/event-fields.ts';
import { DEFAULT_MAX_BODY_BYTES } from './sources/http-intake.ts';
import type { TraceFormats } from './sources/http-traces.ts';
import { KafkaConfigSchema } from './sources/kafka-config.ts';

export { KAFKA_SECRETS, saslOf, tlsOf } from './sources/kafka-config.ts';

const duration = (description: string) => Type.String({ pattern: DURATION_PATTERN, description });

/** How the spans of one format become events. */
const SpansSchema = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'false: such spans are ignored' })),
    pool: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_POOL })),
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TENANT })),
    mapping: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'as in a file for "evenshare load --map"' }),
    ),
  },
  { additionalProperties: false },
);
const TracesSchema = Type.Object(
  { 'otel-genai': Type.Optional(SpansSchema), vllm: Type.Optional(SpansSchema) },
  { additionalProperties: false },
);

export const IngestConfigProperties = {
  intake: Type.Optional(
    Type.Object(
      {
        max_body_bytes: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 268_435_456 })),
        max_future: Type.Optional(duration('arrivals further ahead are refused')),
        lateness: Type.Optional(duration('arrivals longer ago are refused')),
        traces: Type.Optional(TracesSchema),
      },
      { additionalProperties: false },
    ),
  ),
  kafka: Type.Optional(KafkaConfigSchema),
} as const;

const IngestConfigSchema = Type.Object(IngestConfigProperties);
/** What the file may say of the intake, as it stands there. */
export type IngestConfig = Static<typeof IngestConfigSchema>;

export interface IntakeLimits {
  readonly maxBodyBytes: number;
  readonly maxFutureMs: number;
  readonly latenessMs: number;
}

export const DEFAULT_INTAKE_LIMITS: IntakeLimits = {
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  maxFutureMs: 5 * MINUTE_MS,
  latenessMs: 2 * DAY_MS,
};

/** What is read of traces, as the configuration says it; nothing said: every format, without a mapping. */
export function traceFormatsOf(traces: Static<typeof TracesSchema> = {}): TraceFormats {
  const of = (spans: Static<typeof SpansSchema> = {}) => ({
    defaultPool: spans.pool ?? 'default',
    tenant: spans.tenant ?? null,
    options: {},
    mapping: spans.mapping ?? null,
  });
  return {
    ...(traces['otel-genai']?.enabled === false ? {} : { 'otel-genai': of(traces['otel-genai']) }),
    ...(traces.vllm?.enabled === false ? {} : { vllm: of(traces.vllm) }),
  };
}
