import { AdaptiveAdmission } from '../control/adaptive-admission.ts';
import { DegradationLadder } from '../control/degradation-ladder.ts';
import { SloWeights } from '../control/slo-weights.ts';
import type { Request } from '../model.ts';
import type { Policy } from '../policy/policy.ts';
import type { DispatchOrder } from './dispatch-order.ts';
import type { ClassSnapshot } from './scheduler.ts';
import type { TenantStates } from './tenant-states.ts';

const DEFAULT_CLASS_WEIGHT = 1;

/** What acts on a scheduler from outside, now and then: weights of classes, refill rates, degradation. */
export class Controllers<R extends Request> {
  readonly #policy: Policy;
  readonly #tenants: TenantStates;
  readonly #order: DispatchOrder<R>;
  readonly #slo: SloWeights | null;
  readonly #admission: AdaptiveAdmission | null;
  readonly #ladder: DegradationLadder | null;
  /** How many requests may wait in all: as the policy says, else what its named tenants may together. */
  readonly #limit: number;

  constructor(policy: Policy, tenants: TenantStates, order: DispatchOrder<R>, nowMs: number) {
    this.#policy = policy;
    this.#tenants = tenants;
    this.#order = order;
    this.#slo = policy.sloWeights === null ? null : new SloWeights(policy.sloWeights, policy.classes, nowMs);
    this.#admission = policy.adaptiveAdmission === null ? null : new AdaptiveAdmission(policy.adaptiveAdmission, nowMs);
    this.#ladder = policy.degradation === null ? null : new DegradationLadder(policy.degradation, nowMs);
    let limits = 0;
    for (const { queueLimit } of policy.tenants.values()) limits += queueLimit;
    this.#limit = Math.min(policy.totalLimit, limits === 0 ? Number.POSITIVE_INFINITY : limits);
  }

  get refillFactor(): number {
    return this.#admission?.factor ?? 1;
  }

  get level(): string | null {
    return this.#ladder?.levelName ?? null;
  }

  /** Σ depth ÷ Σ limit, in [0, 1]; 0 where nothing is limited. */
  loadRatio(): number {
    return Math.min(1, this.#order.queue.size / this.#limit);
  }

  /** When something is due next; Infinity: never. */
  nextMs(): number {
    return Math.min(
      this.#slo?.nextMs ?? Number.POSITIVE_INFINITY,
      this.#admission?.nextMs ?? Number.POSITIVE_INFINITY,
      this.#ladder?.nextMs ?? Number.POSITIVE_INFINITY,
    );
  }

  /** Does what is due. */
  run(nowMs: number): void {
    if (nowMs < this.nextMs()) return;
    this.#slo?.run(nowMs, (className, waitMs) => this.#order.waitingBeyond(className, waitMs, nowMs));
    if (this.#admission?.run(this.loadRatio(), nowMs) === true) this.#tenants.setRefillFactor(this.refillFactor, nowMs);
    if (this.#ladder?.run(this.loadRatio(), nowMs) === true) this.#applyPauses();
  }

  /** A request of the class goes to a server after so long a wait, or will never. */
  waited(className: string | null, waitedMs: number, nowMs: number): void {
    if (className !== null) this.#slo?.observe(className, waitedMs, nowMs);
  }

  /** A request of the class goes to a server. */
  served(className: string | null, cost: number): void {
    if (className !== null) this.#slo?.served(className, cost);
  }

  isLight(className: string | null): boolean {
    return className !== null && (this.#ladder?.lightMode(className) ?? false);
  }

  /** Whether a request of the class that arrives now is turned away; each call counts as a request. */
  throttles(className: string | null): boolean {
    return className !== null && this.#ladder !== null && !this.#ladder.letsIn(className);
  }

  /** The class's weight now. */
  weightOf(className: string | null): number {
    if (className === null) return DEFAULT_CLASS_WEIGHT;
    return this.#slo?.weightOf(className) ?? this.#policy.classes.get(className)?.weight ?? DEFAULT_CLASS_WEIGHT;
  }

  /** What the class does to the weights of its tenants now. */
  weightFactorOf(className: string | null): number {
    return className === null || this.#slo === null ? 1 : this.#slo.factorOf(className);
  }

  /** Classes that the policy names, in code-unit order. */
  classes(nowMs: number): ClassSnapshot[] {
    return [...this.#policy.classes.keys()].sort().map((name) => ({
      class: name,
      weight: this.weightOf(name),
      paused: this.#order.isPaused(name),
      boosted: this.#order.isBoosted(name, nowMs),
    }));
  }

  #applyPauses(): void {
    if (this.#ladder === null || this.#policy.degradation === null) return;
    for (const { action, class: name } of this.#policy.degradation.levels) {
      if (action === 'pause') this.#order.setPaused(name, this.#ladder.paused(name));
    }
  }
}
