import { Type } from 'typebox';
import { DAY_MS, MINUTE_MS } from '../scheduler-core/kernel/index.ts';
import { DEFAULT_MAX_BODY_BYTES } from './sources/http-intake.ts';

export const IngestConfigProperties = {
  intake: Type.Optional(
    Type.Object(
      {
        max_body_bytes: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 268_435_456 })),
        max_future: Type.Optional(Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$' })),
        lateness: Type.Optional(Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$' })),
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
