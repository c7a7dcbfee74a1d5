import { type Static, Type } from 'typebox';
import { TOP_REASONS } from './cardinality-cap.ts';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const figure = () => nullable(Type.Number());

/**
 * Costs and counts add up: over a window's tenants and its rest they are the pool's own figures, bit for bit, in whatever
 * order they are added. For that a cost may differ from the tenant's own by some last places of the pool's total.
 */
const added = {
  demand_cost: figure(),
  /** Ideal service: by the fluid model where it is known, else the window's fair share. */
  ideal_cost: figure(),
  served_cost: figure(),
  requests: Type.Integer(),
  retries: Type.Integer(),
  /** Refused attempts, for whatever reason. */
  rejected: Type.Integer(),
  gave_up: Type.Integer(),
  /** By the fluid model; null where it is not known. */
  in_share_requests: nullable(Type.Integer()),
  wait_samples: Type.Integer(),
};

const measured = {
  /** Served ÷ ideal service; of the rest as if it were one tenant. */
  normalized_share: figure(),
  /** The largest lag; of the rest that of the tenant that lags most. */
  lag_cost: figure(),
  /** Of a tenant exact; of the rest from its merged histogram, within 1%. */
  wait_p99_ms: figure(),
};

/** A tenant that is shown by itself, in one window. */
export const SeriesTenantSchema = Type.Object({
  tenant: Type.String(),
  /** What earned it its place: `pinned`, `demand`, `low_share`, `rejected`, `slow`; `sticky`: it did in an earlier window. */
  why: Type.Enum([...TOP_REASONS]),
  in_share: nullable(Type.Boolean()),
  ...added,
  ...measured,
});
export type SeriesTenant = Static<typeof SeriesTenantSchema>;

/** A tenant of the rest that was refused. */
export const SampleSchema = Type.Object({ tenant: Type.String(), rejected: Type.Integer(), attempts: Type.Integer() });
export type Sample = Static<typeof SampleSchema>;

/** All others of one window together; of none (`tenants` 0) every count and cost is 0. */
export const SeriesRestSchema = Type.Object({
  tenants: Type.Integer(),
  ...added,
  ...measured,
  /** How many of them were refused something, and the at most 5 that were refused most. */
  rejected_tenants: Type.Integer(),
  samples: Type.Array(SampleSchema),
});
export type SeriesRest = Static<typeof SeriesRestSchema>;

export const SeriesWindowSchema = Type.Object({
  start: Type.String({ format: 'date-time' }),
  end: Type.String({ format: 'date-time' }),
  /** By name. */
  tenants: Type.Array(SeriesTenantSchema),
  rest: SeriesRestSchema,
});
export type SeriesWindow = Static<typeof SeriesWindowSchema>;

/** What `GET /api/v1/pools/{pool}/series` answers: at most K tenants a window, and the rest. */
export const PoolSeriesSchema = Type.Object({ pool: Type.String(), windows: Type.Array(SeriesWindowSchema) });
export type PoolSeries = Static<typeof PoolSeriesSchema>;
