import { Type } from 'typebox';
import { duration } from '../duration-schema.ts';

/** A rule as it is configured: in-share p99 wait over a threshold for so many windows. */
export const AlertRuleSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' }),
    pools: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1 })),
    in_share_p99: Type.Object(
      {
        threshold: duration('the p99 queue wait of in-share tenants that is too long'),
        for_windows: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
        min_samples: Type.Optional(Type.Integer({ minimum: 100 })),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export const AlertsConfigProperties = {
  alerts: Type.Optional(
    Type.Object(
      {
        rules: Type.Optional(Type.Array(AlertRuleSchema)),
        stdout: Type.Optional(Type.Boolean()),
        webhook: Type.Optional(
          Type.Object(
            { url: Type.String({ pattern: '^https?://' }), timeout: Type.Optional(duration('of one delivery')) },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ),
} as const;

/** In-share p99 over a threshold; the simple form of docs/alerts.md. */
export interface AlertRule {
  readonly name: string;
  /** Pools that it watches; null: all. */
  readonly pools: readonly string[] | null;
  readonly thresholdMs: number;
  /** So many windows in a row over the threshold fire, so many at or under it resolve. */
  readonly forWindows: number;
  /** A window with fewer samples neither fires nor resolves; at least 100. */
  readonly minSamples: number;
}

export const DEFAULT_FOR_WINDOWS = 3;
export const DEFAULT_MIN_SAMPLES = 100;

export function watches(rule: AlertRule, pool: string): boolean {
  return rule.pools === null || rule.pools.includes(pool);
}
