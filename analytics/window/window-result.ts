import { type Static, Type } from 'typebox';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const figure = () => nullable(Type.Number());
const time = () => Type.String({ format: 'date-time' });

export const TENANT_VERDICTS = ['fair', 'short', 'capped', 'over', 'idle', 'unknown'] as const;
export const WINDOW_VERDICTS = ['fair', 'unfair', 'uncontended', 'unknown'] as const;
export const CAPACITY_BASES = ['measured', 'observed', 'configured', 'inferred', 'unknown'] as const;

const waitFigures = {
  p50: figure(),
  p95: figure(),
  p99: figure(),
  max: figure(),
  samples: Type.Integer(),
};

/** Figures of one tenant in one window. Costs are in the pool's cost unit; a figure that cannot be known is null. */
export const TenantWindowSchema = Type.Object({
  tenant: Type.String(),
  group: nullable(Type.String()),
  weight: Type.Number(),
  verdict: Type.Enum([...TENANT_VERDICTS]),
  /** Cost of the requests that arrived, retries of one original counted once; `_raw` counts every attempt. */
  arrived_cost: figure(),
  arrived_cost_raw: figure(),
  demand_cost: figure(),
  backlog_cost: figure(),
  fair_share_cost: figure(),
  served_cost: figure(),
  normalized_share: figure(),
  in_share: nullable(Type.Boolean()),
  lag_cost: figure(),
  /** The ideal backlog `q` after the window: what a fair system would still owe. */
  ideal_backlog_cost: figure(),
  requests: Type.Integer(),
  retries: Type.Integer(),
  rejected: Type.Record(Type.String(), Type.Integer()),
  gave_up: Type.Integer(),
  lost: Type.Integer(),
  skewed: Type.Integer(),
  quota_refused_cost: Type.Number(),
  wait_ms: Type.Object({ ...waitFigures, provenance: Type.String(), reason: Type.Optional(Type.String()) }),
  /** The same in steps of a second; null where shares cannot be known, for the window's reason. */
  fluid: nullable(
    Type.Object({
      /** Ideal service: `Σ f` over the steps. */
      ideal_cost: Type.Number(),
      /** Served work ÷ ideal service; null without any ideal service. */
      normalized_share: figure(),
      /** The largest lag at the end of a step: work that a fair system would have done by then. */
      max_lag_cost: Type.Number(),
      /** By how much longer a unit of work waited than in a fair system, on average: `∫ lag dt` ÷ ideal service (Little's law). */
      excess_wait_ms: figure(),
      /** Requests that arrived in a step at whose end the tenant had no ideal backlog. */
      in_share_requests: Type.Integer(),
      /** `q` after the window's last step. */
      ideal_backlog_cost: Type.Number(),
      /** What verdicts go by. Due: what processor sharing that never looks at the real system would have served. */
      due_cost: Type.Number(),
      /** The largest lag behind it at the end of a second, but for what was due in that second; or what it was refused of its due. */
      shortfall_cost: Type.Number(),
      /** Served beyond what was due in the window and owed from before. */
      excess_cost: Type.Number(),
    }),
  ),
});
export type TenantWindow = Static<typeof TenantWindowSchema>;

const MinNormalizedShareSchema = Type.Object({ value: Type.Number(), tenant: Type.String() });

const FluidSchema = Type.Object({
  jain_index: figure(),
  jain_index_reason: Type.Optional(Type.String()),
  min_normalized_share: nullable(MinNormalizedShareSchema),
  min_normalized_share_reason: Type.Optional(Type.String()),
  /** The largest lag of a tenant at the end of a step, and whose; null where nobody lagged. */
  max_lag_cost: Type.Number(),
  max_lag_tenant: nullable(Type.String()),
  in_share: Type.Object({
    requests: Type.Integer(),
    samples: Type.Integer(),
    over_threshold: Type.Integer(),
    p99_wait_ms: figure(),
    p99_wait_reason: Type.Optional(Type.String()),
    /** At least 100 samples. */
    sufficient: Type.Boolean(),
  }),
});
export type FluidFigures = Static<typeof FluidSchema>;

/** One window of one pool (shape: docs/shapes). Every `…_reason` is present exactly when its figure is null. */
export const WindowSchema = Type.Object({
  start: time(),
  end: time(),
  state: Type.Enum(['provisional', 'final']),
  revision: Type.Integer(),
  verdict: Type.Enum([...WINDOW_VERDICTS]),
  /** Why the verdict is `unknown`: `no_tenants`, `no_waits`, `no_capacity`, `conflicts`, `coverage`; else empty. */
  verdict_reasons: Type.Array(Type.String()),
  /**
   * What made the window unfair: `over_served` (with the tenants), `idle_slots`, `carried_over`, `lost_capacity`; else empty.
   * Beside `carried_over` the tenants are those first that were served ahead before the window and still are.
   */
  causes: Type.Array(Type.Object({ cause: Type.String(), tenants: Type.Array(Type.String()) })),
  coverage_ratio: figure(),
  coverage_reason: Type.Optional(Type.String()),
  cost_unit: Type.String(),
  capacity: Type.Object({
    cost: figure(),
    basis: Type.Enum([...CAPACITY_BASES]),
    reason: Type.Optional(Type.String()),
  }),
  demand_cost: figure(),
  served_cost: figure(),
  served_cost_reason: Type.Optional(Type.String()),
  /** Allocation per unit of weight at which filling stopped; null when all demand was met. */
  water_level: figure(),
  water_level_reason: Type.Optional(Type.String()),
  tenants_with_demand: Type.Integer(),
  jain_index: figure(),
  jain_index_reason: Type.Optional(Type.String()),
  min_normalized_share: nullable(MinNormalizedShareSchema),
  min_normalized_share_reason: Type.Optional(Type.String()),
  requests: Type.Integer(),
  waiting_at_end: Type.Integer(),
  utilization_ratio: figure(),
  utilization_reason: Type.Optional(Type.String()),
  wait_ms: Type.Object({ ...waitFigures, provenance: Type.String(), reason: Type.Optional(Type.String()) }),
  policy_changed: Type.Boolean(),
  conflicts: Type.Integer(),
  skewed: Type.Integer(),
  lost: Type.Integer(),
  in_share: Type.Object({
    tenants: Type.Integer(),
    requests: Type.Integer(),
    samples: Type.Integer(),
    over_threshold: Type.Integer(),
    threshold_ms: Type.Number(),
    p99_wait_ms: figure(),
    p99_wait_reason: Type.Optional(Type.String()),
    /** At least 100 samples. */
    sufficient: Type.Boolean(),
    provisional: Type.Boolean(),
  }),
  idle_while_waiting_ratio: figure(),
  idle_while_waiting_reason: Type.Optional(Type.String()),
  /** The same in steps of one second, carried from window to window; null where shares cannot be known, with the reason. */
  fluid: nullable(FluidSchema),
  fluid_reason: Type.Optional(Type.String()),
  tenants: Type.Array(TenantWindowSchema),
});
export type Window = Static<typeof WindowSchema>;

export const QualitySchema = Type.Object({
  accepted: Type.Integer(),
  duplicate: nullable(Type.Integer()),
  duplicate_reason: Type.Optional(Type.String()),
  conflict: Type.Integer(),
  skewed: Type.Integer(),
  late: Type.Integer(),
  rejected: Type.Record(Type.String(), Type.Integer()),
});
export type Quality = Static<typeof QualitySchema>;

/** What `audit`, `analyze`, `fairness` and `GET /api/v1/pools/{pool}/windows` answer. */
export const PoolWindowsSchema = Type.Object({
  pool: Type.String(),
  windows: Type.Array(WindowSchema),
  quality: QualitySchema,
});
export type PoolWindows = Static<typeof PoolWindowsSchema>;
