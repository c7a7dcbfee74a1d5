import { type Static, Type } from 'typebox';
import { WindowSchema } from '../window/window-result.ts';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const figure = () => nullable(Type.Number());

/**
 * - `over_served`: tenants served beyond their ideal service; - `idle_slots`: slots stood idle while requests waited;
 * - `carried_over`: owed from earlier windows; - `lost_capacity`: the pool did less than it could;
 * - `quota`: the tenant's own quota refused it, nobody else; - `none`: there is nothing to put down to anybody, or, in a
 *   ledger, the part that nothing explains: all that was due was done, and some of it late.
 */
export const EXPLAINED_CAUSES = [
  'over_served',
  'idle_slots',
  'carried_over',
  'lost_capacity',
  'quota',
  'none',
] as const;

const LedgerEntrySchema = Type.Object({
  cause: Type.Enum([...EXPLAINED_CAUSES]),
  /** Who, where the cause is `over_served`; null: several together, or nobody. */
  tenant: nullable(Type.String()),
  /** How many tenants the entry stands for: the smallest culprits are put together. */
  tenants: Type.Integer(),
  cost: Type.Number(),
  /** Whole percent of the deficit; those of a ledger add up to 100. */
  percent: Type.Integer(),
});
export type LedgerEntry = Static<typeof LedgerEntrySchema>;

const TopCauseSchema = Type.Object({
  cause: Type.Enum([...EXPLAINED_CAUSES]),
  /** Who accounts for the most, or was served ahead before the window and still is; null where the cause is no tenant. */
  tenant: nullable(Type.String()),
});
export type TopCause = Static<typeof TopCauseSchema>;

const TenantLedgerSchema = Type.Object({
  tenant: Type.String(),
  /** Its lag, which is divided. */
  deficit_cost: Type.Number(),
  top_cause: TopCauseSchema,
  entries: Type.Array(LedgerEntrySchema),
});
export type TenantLedger = Static<typeof TenantLedgerSchema>;

const LedgerSchema = Type.Object({
  /** Of all tenants that are short, or of the one that was asked for. */
  deficit_cost: Type.Number(),
  top_cause: TopCauseSchema,
  entries: Type.Array(LedgerEntrySchema),
  tenants: Type.Array(TenantLedgerSchema),
  /** Short tenants that are in the sums and not in the list. */
  tenants_left_out: Type.Integer(),
});
export type Ledger = Static<typeof LedgerSchema>;

const FillStepSchema = Type.Object({
  kind: Type.Enum(['tenant', 'group']),
  name: Type.String(),
  weight: Type.Number(),
  demand_cost: Type.Number(),
  /** Allocation per unit of weight at which its demand was met; null: the filling stopped before. */
  level: figure(),
  share_cost: Type.Number(),
  capacity_left_cost: Type.Number(),
  /** It has weight 0: it took part only in what the others left over. */
  from_left_over: Type.Boolean(),
});

const fillingFields = {
  capacity_cost: Type.Number(),
  /** Level at which filling stopped; null when every demand was met. */
  level: figure(),
  capacity_left_cost: Type.Number(),
  met: Type.Integer(),
  not_met: Type.Integer(),
  /** The first and the last steps, in the order in which the level rose. */
  steps: Type.Array(FillStepSchema),
  /** Steps between those listed. */
  steps_left_out: Type.Integer(),
};

const FillingSchema = Type.Object({
  ...fillingFields,
  groups: Type.Array(
    Type.Object({
      group: Type.String(),
      weight: Type.Number(),
      demand_cost: Type.Number(),
      share_cost: Type.Number(),
      inside: Type.Object(fillingFields),
    }),
  ),
  groups_left_out: Type.Integer(),
});
export type ExplainedFilling = Static<typeof FillingSchema>;
export type ListedFilling = Omit<ExplainedFilling, 'groups' | 'groups_left_out'>;

const windowFields = WindowSchema.properties;

const ExplainedTenantSchema = Type.Object({
  tenant: Type.String(),
  group: nullable(Type.String()),
  weight: Type.Number(),
  verdict: Type.Enum(['fair', 'short', 'capped', 'over', 'idle', 'unknown']),
  demand_cost: figure(),
  /** What it was entitled to: ideal service, in steps of a second where `basis` is `fluid`. */
  ideal_cost: figure(),
  served_cost: figure(),
  normalized_share: figure(),
  /** Lag: work that a fair system would have done by then. */
  deficit_cost: figure(),
  /** Served beyond its ideal service. */
  excess_cost: figure(),
  /** What it accounts for of the deficits of others. */
  attributed_cost: Type.Number(),
  /** Its share by the filling of the window as a whole. */
  fair_share_cost: figure(),
  quota_refused_cost: Type.Number(),
  basis: Type.Enum(['fluid', 'window']),
  /** Why its shares are null. */
  reason: Type.Optional(Type.String()),
  /** What the verdict means for it, in a sentence. */
  sentence: Type.String(),
});
export type ExplainedTenant = Static<typeof ExplainedTenantSchema>;

/** Why a window, or a tenant in it, has the verdict that it has. */
export const ExplanationSchema = Type.Object({
  pool: Type.String(),
  /** The tenant that was asked for; null: all. */
  tenant: nullable(Type.String()),
  /** Plain sentences; control characters of names are escaped. */
  summary: Type.Array(Type.String()),
  /** What a figure depends on that is not certain. */
  notes: Type.Array(Type.Object({ code: Type.String(), text: Type.String() })),
  top_cause: TopCauseSchema,
  window: Type.Object({
    start: windowFields.start,
    end: windowFields.end,
    state: windowFields.state,
    revision: windowFields.revision,
    verdict: windowFields.verdict,
    verdict_reasons: windowFields.verdict_reasons,
    cost_unit: windowFields.cost_unit,
    capacity: windowFields.capacity,
    demand_cost: windowFields.demand_cost,
    served_cost: windowFields.served_cost,
    served_cost_reason: windowFields.served_cost_reason,
    idle_while_waiting_ratio: windowFields.idle_while_waiting_ratio,
    idle_while_waiting_reason: windowFields.idle_while_waiting_reason,
    policy_changed: windowFields.policy_changed,
  }),
  /** Short ones first, then those served beyond their ideal service, then by demand. */
  tenants: Type.Array(ExplainedTenantSchema),
  tenants_left_out: Type.Integer(),
  /** Null where the capacity or the demands are not known. */
  filling: nullable(FillingSchema),
  filling_reason: Type.Optional(Type.String()),
  /** Null where nobody is short, or shares cannot be known. */
  ledger: nullable(LedgerSchema),
  ledger_reason: Type.Optional(Type.String()),
});
export type Explanation = Static<typeof ExplanationSchema>;
