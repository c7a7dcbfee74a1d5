import { assertInvariant } from '../kernel/assert.ts';
import type { BoostPolicy } from '../policy/policy.ts';

interface ClassState {
  /** Since when it has waited without being served; null while nothing of it waits. */
  unservedSinceMs: number | null;
  /** The latest boost, `[boostedAtMs, boostedUntilMs)`; both -Infinity before the first. */
  boostedAtMs: number;
  boostedUntilMs: number;
}

/**
 * Classes that waited for `afterMs` without being served go first for `forMs`. A boost begins when `first` notices that it
 * is due (`wait ≥ afterMs`), and lasts its time even if the class is served meanwhile; a class that got nothing during its
 * boost is boosted again at once.
 *
 * O(classes that wait) per question; a class without anything waiting, or boosted, is forgotten.
 */
export class ClassBoost {
  readonly #policy: BoostPolicy;
  readonly #classes = new Map<string, ClassState>();

  constructor(policy: BoostPolicy) {
    assertInvariant(policy.afterMs > 0 && policy.forMs > 0, 'a boost needs afterMs > 0 and forMs > 0');
    this.#policy = policy;
  }

  /** A request of the class waits. Called for the first one, or for each: the later ones change nothing. */
  waits(name: string, nowMs: number): void {
    const state = this.#classes.get(name);
    if (state === undefined) {
      this.#classes.set(name, {
        unservedSinceMs: nowMs,
        boostedAtMs: Number.NEGATIVE_INFINITY,
        boostedUntilMs: Number.NEGATIVE_INFINITY,
      });
    } else state.unservedSinceMs ??= nowMs;
  }

  /** A request of the class was dispatched; more of it may wait. */
  served(name: string, nowMs: number): void {
    const state = this.#classes.get(name);
    if (state !== undefined && state.unservedSinceMs !== null) state.unservedSinceMs = nowMs;
  }

  /** Nothing of the class waits any more. */
  emptied(name: string, nowMs: number): void {
    const state = this.#classes.get(name);
    if (state === undefined) return;
    if (nowMs < state.boostedUntilMs) state.unservedSinceMs = null;
    else this.#classes.delete(name);
  }

  /** Boosts whom it is due; the boosted class to serve first: of those that wait the one boosted first, ties by name. */
  first(nowMs: number): string | null {
    let first: { readonly name: string; readonly state: ClassState } | null = null;
    for (const [name, state] of this.#classes) {
      this.#boostIfDue(state, nowMs);
      if (nowMs >= state.boostedUntilMs) {
        if (state.unservedSinceMs === null) this.#classes.delete(name);
        continue;
      }
      if (state.unservedSinceMs === null) continue;
      if (first === null || isBefore(name, state, first.name, first.state)) first = { name, state };
    }
    return first?.name ?? null;
  }

  /** Whether the class is being boosted, as far as `first` has noticed. */
  isBoosted(name: string, nowMs: number): boolean {
    const state = this.#classes.get(name);
    return state !== undefined && nowMs < state.boostedUntilMs;
  }

  #boostIfDue(state: ClassState, nowMs: number): void {
    if (state.unservedSinceMs === null || nowMs < state.boostedUntilMs) return;
    if (nowMs - state.unservedSinceMs < this.#policy.afterMs) return;
    state.boostedAtMs = nowMs;
    state.boostedUntilMs = nowMs + this.#policy.forMs;
  }
}

function isBefore(name: string, state: ClassState, otherName: string, other: ClassState): boolean {
  if (state.boostedAtMs !== other.boostedAtMs) return state.boostedAtMs < other.boostedAtMs;
  return name < otherName;
}
