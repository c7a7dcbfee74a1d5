/** What a request costs in the eyes of the scheduler: 1 each, or what it says of itself in this unit. */
export type PolicyCostUnit = 'requests' | 'service_ms' | 'tokens';

/** Arrival order, one queue for all. */
export interface FifoDiscipline {
  readonly kind: 'fifo';
}

/**
 * Classes in order of `order` (first is most urgent; classes that are not named come last, together), arrival order
 * within each. `strict`: a class is served only while no more urgent one waits. `weighted`: a seeded random choice among
 * the waiting classes, by the weights of the classes.
 */
export interface PriorityDiscipline {
  readonly kind: 'priority';
  readonly mode: 'strict' | 'weighted';
  readonly order: readonly string[];
}

/** Self-clocked weighted fair queueing (SCFQ). */
export interface WeightedFairDiscipline {
  readonly kind: 'wfq';
}

/** Worst-case fair weighted fair queueing (WF²Q+). */
export interface WorstCaseFairDiscipline {
  readonly kind: 'wf2q';
}

/** Deficit round robin: Q · wᵢ per round. */
export interface DeficitRoundRobinDiscipline {
  readonly kind: 'drr';
  /** Q: cost granted per round to a tenant of weight 1, in the policy's cost unit; finite, > 0. */
  readonly quantumCost: number;
}

/** Virtual token counter. Prices turn tokens into cost where a request names tokens instead of a cost; ≥ 0 each. */
export interface VirtualTokenCounterDiscipline {
  readonly kind: 'vtc';
  /** Cost of an input token, w_p. */
  readonly inputPrice: number;
  /** Cost of an output token, w_q. */
  readonly outputPrice: number;
}

/** Which waiting request is next. */
export type Discipline =
  | FifoDiscipline
  | PriorityDiscipline
  | WeightedFairDiscipline
  | WorstCaseFairDiscipline
  | DeficitRoundRobinDiscipline
  | VirtualTokenCounterDiscipline;

/** A token bucket of one tenant. */
export interface QuotaPolicy {
  /** Sustained rate, units per second; ≥ 0, finite. */
  readonly ratePerS: number;
  /** Units that may be taken at once; > 0, finite. */
  readonly burst: number;
  /** What a request takes of it: 1, or its cost. */
  readonly unit: 'requests' | 'cost';
  /** Over quota: refuse on arrival, or queue and hold back at dispatch until the bucket covers it. */
  readonly mode: 'refuse' | 'hold';
}

/** What the policy says of one tenant. */
export interface TenantPolicy {
  /** Finite, > 0; or 0 where a policy is read for analytics, as no scheduler takes it. */
  readonly weight: number;
  /** Null: no class. */
  readonly class: string | null;
  /** How many of its requests may wait: an integer ≥ 1, or Infinity. */
  readonly queueLimit: number;
  readonly quota: QuotaPolicy | null;
  /** How long a request of it can wait, ms; > 0, or Infinity. Null: as its class says. */
  readonly waitBudgetMs: number | null;
  /** The group in which it shares, in windows; disciplines do not look at it. Null: it shares by itself. */
  readonly group: string | null;
}

/** Tenants that share as one, such as the keys of one customer: what fair shares in windows are filled over first. */
export interface GroupPolicy {
  /** Finite, ≥ 0. */
  readonly weight: number;
}

/** What the policy says of one class. */
export interface ClassPolicy {
  /** Finite, > 0: for `priority` by weights. */
  readonly weight: number;
  /** Null: boundless. */
  readonly waitBudgetMs: number | null;
  /** Null: the class has no target. */
  readonly target: ServiceTarget | null;
}

/** A part of the requests, `ratio` in (0, 1], that is to wait less than `waitBelowMs` (> 0). */
export interface ServiceTarget {
  readonly ratio: number;
  readonly waitBelowMs: number;
}

/** Requests that waited `maxWaitMs` and more go first, within budgets. */
export interface StarvationGuardPolicy {
  /** > 0. A request is due from `wait ≥ maxWaitMs`. */
  readonly maxWaitMs: number;
  /** Part of the requests in flight that may be promoted ones, in (0, 1]; 1 means no budget. Default 0.10. */
  readonly inFlightRatio: number;
  /** Promotions per tenant and hour, ≥ 0, or Infinity. */
  readonly perTenantHourly: number;
}

/** Refuses on arrival what cannot be served within its wait budget, and at dispatch what has outlived it. */
export interface WaitBudgetPolicy {
  /** Whether the prediction decides on arrival; else only requests that outlived their budget are dropped. */
  readonly predict: boolean;
  /** Quantile of recent throughput that a prediction rests on, in (0, 1): smaller is more careful. */
  readonly throughputQuantile: number;
  /** Promotions instead of refusals: part of the requests in flight, in [0, 1]. */
  readonly boostShareMax: number;
  /** Promotions instead of refusals per tenant and hour, ≥ 0, or Infinity. */
  readonly perTenantBoostHourly: number;
}

/** A class that was not served for `afterMs` while it waited goes first for `forMs`. */
export interface BoostPolicy {
  readonly afterMs: number;
  readonly forMs: number;
}

/** Per tenant. */
export interface CircuitBreakerPolicy {
  /** Failures in a row that open it: an integer ≥ 1. */
  readonly failures: number;
  /** How long it stays open, ms; > 0. */
  readonly coolDownMs: number;
  /** Requests let through at a time while half open: an integer ≥ 1. */
  readonly probes: number;
  /** Probes that must succeed in a row to close it: an integer ≥ 1. */
  readonly successes: number;
}

/** Weights of classes follow how well they meet their targets. */
export interface SloWeightsPolicy {
  readonly everyMs: number;
  /** Attainment is looked at over this span, ms. */
  readonly windowMs: number;
  readonly amplification: number;
  /** A relative change of a weight below this one is not made; ≥ 0. */
  readonly deadBandRatio: number;
  /** A weight changes by at most this part at once; > 0. */
  readonly stepRatio: number;
  /** A class with fewer requests in the window keeps its weight: an integer ≥ 1. */
  readonly minSamples: number;
  /** A weight stays within these multiples of its base; 0 < least ≤ 1 ≤ most. */
  readonly leastFactor: number;
  readonly mostFactor: number;
}

/** Refill rates of quotas are scaled with the load Σ depth ÷ Σ limit. */
export interface AdaptiveAdmissionPolicy {
  readonly everyMs: number;
  /** The load to hold, in (0, 1). */
  readonly targetLoadRatio: number;
  /** Change of the factor per unit of deviation; > 0. */
  readonly gain: number;
  /** Bounds of the factor; 0 < least ≤ 1 ≤ most. */
  readonly leastFactor: number;
  readonly mostFactor: number;
}

export type DegradationActionKind = 'pause' | 'light_mode' | 'throttle';

export interface DegradationLevel {
  readonly name: string;
  /** The level is entered when Σ depth ÷ Σ limit exceeds this; in (0, 1]. */
  readonly enterAbove: number;
  /** And left when it falls below this; < enterAbove. */
  readonly leaveBelow: number;
  readonly action: DegradationActionKind;
  /** The class that the action is for. */
  readonly class: string;
}

/** Rungs from mild to hard; they are climbed and left one at a time. */
export interface DegradationPolicy {
  readonly levels: readonly DegradationLevel[];
  /** A level is held at least this long, ms; ≥ 0. */
  readonly minDwellMs: number;
  readonly everyMs: number;
  /** Part of a throttled class's requests that is let in, in [0, 1]. */
  readonly throttleRatio: number;
}

/** Tenants are dealt onto few queues; each request goes to the shortest of its tenant's hand. */
export interface ShuffleShardingPolicy {
  readonly queues: number;
  readonly handSize: number;
}

/**
 * A policy: admission, discipline, guard and controllers. What is null is switched off. `parsePolicy` makes one from
 * YAML or from an object, with every default filled in; `docs/policies.md` describes the file.
 */
export interface Policy {
  readonly name: string;
  readonly costUnit: PolicyCostUnit;
  /** Whether the difference between estimated and actual cost is charged on completion. */
  readonly settle: boolean;
  readonly discipline: Discipline;
  /** How many requests may wait in all: an integer ≥ 1, or Infinity. */
  readonly totalLimit: number;
  readonly tenants: ReadonlyMap<string, TenantPolicy>;
  /** What holds for tenants that are not named; it has no group. */
  readonly defaultTenant: TenantPolicy;
  /** Whether tenants that are not named are refused (`unknown_tenant`). */
  readonly refuseUnknown: boolean;
  readonly classes: ReadonlyMap<string, ClassPolicy>;
  /** Every group that a tenant names; see `TenantPolicy.group`. */
  readonly groups: ReadonlyMap<string, GroupPolicy>;
  readonly shuffleSharding: ShuffleShardingPolicy | null;
  readonly starvationGuard: StarvationGuardPolicy | null;
  readonly waitBudget: WaitBudgetPolicy | null;
  readonly boost: BoostPolicy | null;
  readonly circuitBreaker: CircuitBreakerPolicy | null;
  readonly sloWeights: SloWeightsPolicy | null;
  readonly adaptiveAdmission: AdaptiveAdmissionPolicy | null;
  readonly degradation: DegradationPolicy | null;
}
