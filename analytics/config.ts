import { type Static, Type } from 'typebox';
import { AlertsConfigProperties } from './alerts/rule.ts';
import { duration } from './duration-schema.ts';
import { CLUSTER_NAME_PATTERN, type Retention } from './storage/index.ts';
import { MAX_TOP_TENANTS } from './window/cardinality-cap.ts';
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './window/pool-model.ts';

/** What is configured of one pool. */
export const PoolConfigSchema = Type.Object(
  {
    slots: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'servers of the pool' })),
    capacity_per_s: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'work per second, in the cost unit' }),
    ),
    cost_unit: Type.Optional(Type.Enum(['requests', 'service_ms', 'tokens'])),
    input_token_price: Type.Optional(Type.Number({ minimum: 0 })),
    output_token_price: Type.Optional(Type.Number({ minimum: 0 })),
    wait_threshold: Type.Optional(duration('a longer wait counts as over the threshold')),
    max_request_age: Type.Optional(duration('an open request older than this is closed as lost')),
    weights: Type.Optional(
      Type.Record(Type.String(), Type.Number({ minimum: 0 }), { description: 'weight per tenant' }),
    ),
    top_tenants: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TOP_TENANTS,
        description: 'how many tenants have lines of their own in series and metrics; the others are one line together',
      }),
    ),
    pinned_tenants: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: MAX_TOP_TENANTS,
        description: 'tenants that have lines of their own in any case, at most top_tenants',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PoolConfig = Static<typeof PoolConfigSchema>;

export const AnalyticsConfigProperties = {
  ...AlertsConfigProperties,
  store: Type.Optional(
    Type.Union([
      Type.Object(
        { kind: Type.Literal('embedded'), path: Type.Optional(Type.String({ minLength: 1 })) },
        { additionalProperties: false },
      ),
      Type.Object(
        {
          kind: Type.Literal('server'),
          url: Type.String({ pattern: '^https?://' }),
          username: Type.Optional(Type.String()),
          password: Type.Optional(Type.String()),
          database: Type.Optional(Type.String({ minLength: 1 })),
          cluster: Type.Optional(
            Type.String({
              pattern: CLUSTER_NAME_PATTERN,
              description: 'the cluster, as the servers call it, over which the tables are spread',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ]),
  ),
  window: Type.Optional(duration('length of the windows that are computed')),
  pools: Type.Optional(Type.Record(Type.String({ minLength: 1, maxLength: 64 }), PoolConfigSchema)),
  pool_defaults: Type.Optional(PoolConfigSchema),
  retention: Type.Optional(
    Type.Object(
      {
        requests_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
        windows_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
        dead_letters_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
      },
      { additionalProperties: false },
    ),
  ),
} as const;

export const DEFAULT_RETENTION: Retention = { requestsDays: 100, windowsDays: 400, deadLettersDays: 100 };
export const DEFAULT_WINDOW_MS = 60_000;

/** Options of a pool from its configuration over the defaults'. `parseMs` reads a duration that the schema has checked. */
export function poolOptionsOf(
  defaults: PoolConfig,
  pool: PoolConfig | undefined,
  parseMs: (duration: string) => number,
): PoolOptions {
  const merged = { ...defaults, ...pool };
  return {
    costUnit: merged.cost_unit ?? DEFAULT_POOL_OPTIONS.costUnit,
    inputTokenPrice: merged.input_token_price ?? DEFAULT_POOL_OPTIONS.inputTokenPrice,
    outputTokenPrice: merged.output_token_price ?? DEFAULT_POOL_OPTIONS.outputTokenPrice,
    waitThresholdMs:
      merged.wait_threshold === undefined ? DEFAULT_POOL_OPTIONS.waitThresholdMs : parseMs(merged.wait_threshold),
    maxRequestAgeMs:
      merged.max_request_age === undefined ? DEFAULT_POOL_OPTIONS.maxRequestAgeMs : parseMs(merged.max_request_age),
    topTenants: merged.top_tenants ?? DEFAULT_POOL_OPTIONS.topTenants,
    pinnedTenants: merged.pinned_tenants ?? DEFAULT_POOL_OPTIONS.pinnedTenants,
  };
}
