import { CircuitBreaker } from '../admission/circuit-breaker.ts';
import { TokenBucket } from '../admission/token-bucket.ts';
import { SECOND_MS } from '../kernel/index.ts';
import type { Policy, TenantPolicy } from '../policy/policy.ts';
import type { Seat } from '../queue/index.ts';

/** What a scheduler keeps of a tenant while anything of it matters. */
export interface TenantState {
  readonly tenant: string;
  /** Of its flow, under a discipline with a queue per tenant. */
  readonly seat: Seat;
  readonly policy: TenantPolicy;
  readonly isNamed: boolean;
  /** As the policy says, or as it was set since; before the class's factor. */
  weight: number;
  readonly bucket: TokenBucket | null;
  readonly breaker: CircuitBreaker | null;
  waiting: number;
  waitingCost: number;
  inFlight: number;
  /** Its quota holds its waiting requests back until then; null: it does not. */
  heldUntilMs: number | null;
}

/** Idle tenants are looked through when there are twice as many as after the last look, or this many. */
const LEAST_SWEEP = 1024;

/**
 * The tenants that a scheduler has in mind. A tenant of whom nothing waits or is served, whose bucket is full whose breaker
 * is closed and who owes the queue nothing is as good as one never seen, and is forgotten in time: memory is that of the active tenants.
 */
export class TenantStates {
  readonly #policy: Policy;
  readonly #states = new Map<string, TenantState>();
  /** Weights that were set at run time. */
  readonly #weights = new Map<string, number>();
  #sweepAt = LEAST_SWEEP;
  #refillFactor = 1;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Null for a tenant that the policy does not name and therefore refuses. */
  get(tenant: string, nowMs: number): TenantState | null {
    return this.#states.get(tenant) ?? this.#create(tenant, nowMs);
  }

  setWeight(tenant: string, weight: number): void {
    this.#weights.set(tenant, weight);
    const state = this.#states.get(tenant);
    if (state !== undefined) state.weight = weight;
  }

  /** Every quota refills at so many times its rate from now on. */
  setRefillFactor(factor: number, nowMs: number): void {
    if (factor === this.#refillFactor) return;
    this.#refillFactor = factor;
    for (const { bucket, policy } of this.#states.values()) {
      if (bucket !== null && policy.quota !== null) {
        bucket.reconfigure({ refillPerMs: (policy.quota.ratePerS / SECOND_MS) * factor }, nowMs);
      }
    }
  }

  /** Those in mind, in code-unit order of their names. */
  sorted(): TenantState[] {
    return [...this.#states.values()].sort((left, right) => (left.tenant < right.tenant ? -1 : 1));
  }

  #create(tenant: string, nowMs: number): TenantState | null {
    const named = this.#policy.tenants.get(tenant);
    if (named === undefined && this.#policy.refuseUnknown) return null;
    const policy = named ?? this.#policy.defaultTenant;
    const { quota } = policy;
    if (this.#states.size >= this.#sweepAt) this.#sweep(nowMs);
    const state: TenantState = {
      tenant,
      seat: { key: tenant, flow: null },
      policy,
      isNamed: named !== undefined,
      weight: this.#weights.get(tenant) ?? policy.weight,
      bucket:
        quota === null
          ? null
          : new TokenBucket({
              burst: quota.burst,
              refillPerMs: (quota.ratePerS / SECOND_MS) * this.#refillFactor,
              nowMs,
            }),
      breaker: this.#policy.circuitBreaker === null ? null : new CircuitBreaker(this.#policy.circuitBreaker),
      waiting: 0,
      waitingCost: 0,
      inFlight: 0,
      heldUntilMs: null,
    };
    this.#states.set(tenant, state);
    return state;
  }

  #sweep(nowMs: number): void {
    for (const [tenant, { waiting, inFlight, bucket, breaker, seat }] of this.#states) {
      if (waiting > 0 || inFlight > 0 || seat.flow !== null) continue;
      if (bucket !== null && bucket.available(nowMs) < bucket.burst) continue;
      if (breaker !== null && !breaker.isPristine()) continue;
      this.#states.delete(tenant);
    }
    this.#sweepAt = Math.max(LEAST_SWEEP, 2 * this.#states.size);
  }
}
