import { assertInvariant } from '../kernel/assert.ts';
import type { AdaptiveAdmissionPolicy } from '../policy/policy.ts';

/**
 * A proportional controller of the factor on refill rates: `factor = 1 + gain · (target − load)`, within its bounds. The load
 * is `Σ depth ÷ Σ limit`, in [0, 1]; without memory, the factor is back at once when the load is.
 */
export function refillFactor(policy: AdaptiveAdmissionPolicy, loadRatio: number): number {
  const { gain, targetLoadRatio, leastFactor, mostFactor } = policy;
  return Math.min(mostFactor, Math.max(leastFactor, 1 + gain * (targetLoadRatio - loadRatio)));
}

/** `refillFactor`, every `everyMs`. */
export class AdaptiveAdmission {
  readonly #policy: AdaptiveAdmissionPolicy;
  #nextMs: number;
  #factor = 1;

  constructor(policy: AdaptiveAdmissionPolicy, nowMs: number) {
    assertInvariant(policy.everyMs > 0, `a period must be > 0 ms, got ${policy.everyMs}`);
    this.#policy = policy;
    this.#nextMs = nowMs + policy.everyMs;
  }

  /** When it is due next. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** What refill rates are to be multiplied by. */
  get factor(): number {
    return this.#factor;
  }

  /** Does what is due; true when the factor has changed. */
  run(loadRatio: number, nowMs: number): boolean {
    if (nowMs < this.#nextMs) return false;
    this.#nextMs = nowMs + this.#policy.everyMs;
    const before = this.#factor;
    this.#factor = refillFactor(this.#policy, loadRatio);
    return this.#factor !== before;
  }
}
