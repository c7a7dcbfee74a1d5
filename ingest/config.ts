import { Type } from 'typebox';
import { DAY_MS, DURATION_PATTERN, MINUTE_MS } from '../scheduler-core/kernel/index.ts';
import { DEFAULT_MAX_BODY_BYTES } from './sources/http-intake.ts';

const duration = (description: string) => Type.String({ pattern: DURATION_PATTERN, description });

export const IngestConfigProperties = {
  intake: Type.Optional(
    Type.Object(
      {
        max_body_bytes: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 268_435_456 })),
        max_future: Type.Optional(duration('arrivals further ahead are refused')),
        lateness: Type.Optional(duration('arrivals longer ago are refused')),
      },
      { additionalProperties: false },
    ),
  ),
  kafka: Type.Optional(
    Type.Object(
      {
        brokers: Type.Array(Type.String({ pattern: '^[^\\s,]+:[0-9]{1,5}$' }), { minItems: 1 }),
        topic: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,249}$' })),
        group_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        format: Type.Optional(Type.String({ minLength: 1 })),
        from_beginning: Type.Optional(Type.Boolean()),
        session_timeout: Type.Optional(duration('how long the group waits for a silent member')),
        ssl: Type.Optional(Type.Boolean()),
        sasl: Type.Optional(
          Type.Object(
            {
              mechanism: Type.Enum(['plain', 'scram-sha-256', 'scram-sha-512']),
              username: Type.String({ minLength: 1 }),
              password: Type.String({ minLength: 1 }),
            },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ),
} as const;

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
