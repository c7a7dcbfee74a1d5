import { assertInvariant } from '../kernel/assert.ts';
import type { ClassPolicy, ServiceTarget, SloWeightsPolicy } from '../policy/policy.ts';
import { AttainmentWindow } from './attainment-window.ts';
import { normaliseWeights } from './normalise-weights.ts';
import { UsePeaks } from './use-peaks.ts';

/** After so many windows without a turn, a step that turns have shortened doubles again. */
const QUIET_WINDOWS = 2;
/** The least part of a full step: so small, turns are noise. */
const LEAST_STEP_PART = 1 / 64;

/** What a class that meets its target keeps beyond the most it used of late: with just that, its waits would grow. */
const USE_MARGIN = 0.15;

interface ControlledClass {
  readonly baseWeight: number;
  readonly target: ServiceTarget | null;
  readonly window: AttainmentWindow;
  readonly number: number;
  weight: number;
}

/** What a class asks for by its attainment. */
interface Want {
  readonly state: ControlledClass;
  /** Of its base; null: too little is known, its weight stays. */
  readonly factor: number | null;
}

/** How many requests of a class wait at this moment, already for `waitBelowMs` or longer. */
export type WaitingBeyond = (name: string, waitBelowMs: number) => number;

/**
 * Weights of classes that follow how well they meet their targets. Every `everyMs`, from the attainment of the last
 * `windowMs`: `weight = base · (1 + amplification · max(0, target − attainment))`, normalised so that the weights add up to
 * what the base weights add up to, each within `leastFactor … mostFactor` of its base.
 *
 * So that it does not oscillate: nothing moves unless some weight is to change by `deadBandRatio` or more; all weights go
 * the same part of the way, so far that none changes by more than the step; the step halves with each turn (a move
 * against the last one) and doubles, up to `stepRatio`, for every two windows without one.
 *
 * A class that meets its target, or misses it by less than one step would mend, keeps 15% more than the largest part of the
 * work that it had of late: the weight that another lacks is taken where it is not needed. A class with fewer than
 * `minSamples` requests in the window keeps its weight; one without a target wants its base.
 *
 * Memory: 30 buckets a class. Source: THEORY.md, "SLO weights".
 */
export class SloWeights {
  readonly #policy: SloWeightsPolicy;
  readonly #classes = new Map<string, ControlledClass>();
  readonly #use: UsePeaks;
  #nextMs: number;
  #step: number;
  /** Relative changes of the last move, by class in the order of `#classes`. */
  #lastMove: readonly number[] = [];
  #quietSinceMs = Number.NEGATIVE_INFINITY;

  constructor(policy: SloWeightsPolicy, classes: ReadonlyMap<string, ClassPolicy>, nowMs: number) {
    assertInvariant(policy.everyMs > 0, `a period must be > 0 ms, got ${policy.everyMs}`);
    this.#policy = policy;
    this.#step = policy.stepRatio;
    this.#nextMs = nowMs + policy.everyMs;
    this.#use = new UsePeaks(classes.size, policy.windowMs, nowMs);
    for (const [name, { weight, target }] of classes) {
      const window = new AttainmentWindow(policy.windowMs);
      this.#classes.set(name, { baseWeight: weight, target, window, number: this.#classes.size, weight });
    }
  }

  /** When it is due next. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** The class's weight now; null for a class that the policy does not name. */
  weightOf(name: string): number | null {
    return this.#classes.get(name)?.weight ?? null;
  }

  /** The class's weight as a multiple of its base; 1 for a class that the policy does not name. */
  factorOf(name: string): number {
    const state = this.#classes.get(name);
    return state === undefined ? 1 : state.weight / state.baseWeight;
  }

  /** A request of the class was dispatched after so long, or gave up or was refused after so long a wait. */
  observe(name: string, waitedMs: number, nowMs: number): void {
    const state = this.#classes.get(name);
    if (state === undefined || state.target === null) return;
    state.window.observe(waitedMs < state.target.waitBelowMs, nowMs);
  }

  /** So much of the class's work went to a server. */
  served(name: string, cost: number): void {
    const state = this.#classes.get(name);
    if (state !== undefined) this.#use.served(state.number, cost);
  }

  /**
   * Does what is due; true when a weight has changed. Requests that wait beyond their target are misses before they are
   * served: else a class that is served nothing would look well.
   */
  run(nowMs: number, waitingBeyond: WaitingBeyond): boolean {
    if (nowMs < this.#nextMs) return false;
    // From now, not from when it was due: after a long gap it runs once.
    this.#nextMs = nowMs + this.#policy.everyMs;
    const states = [...this.#classes.values()];
    const wanted = this.#wantedWeights(this.#wants(nowMs, waitingBeyond), this.#use.peaks(nowMs));
    const changes = states.map(({ weight }, index) => (wanted[index] ?? weight) / weight - 1);
    const largest = Math.max(0, ...changes.map(Math.abs));
    if (largest === 0 || largest < this.#policy.deadBandRatio) return false;
    this.#adaptStep(changes, nowMs);
    const part = Math.min(1, this.#step / largest);
    for (const [index, state] of states.entries()) state.weight *= 1 + part * (changes[index] ?? 0);
    return true;
  }

  #wants(nowMs: number, waitingBeyond: WaitingBeyond): Want[] {
    const { amplification, minSamples } = this.#policy;
    return Array.from(this.#classes, ([name, state]): Want => {
      const { target, window } = state;
      if (target === null) return { state, factor: 1 };
      const { met, missed } = window.counts(nowMs);
      const samples = met + missed + waitingBeyond(name, target.waitBelowMs);
      if (samples < minSamples || samples === 0) return { state, factor: null };
      return { state, factor: 1 + amplification * Math.max(0, target.ratio - met / samples) };
    });
  }

  /** Where the weights would go without dead band and step. */
  #wantedWeights(wants: readonly Want[], usePeaks: readonly number[]): number[] {
    const total = wants.reduce((sum, { state }) => sum + state.weight, 0);
    const bounded = wants.map(({ state, factor }) => {
      const { baseWeight, target, weight, number } = state;
      if (factor === null) return { raw: weight, least: weight, most: weight };
      const isContent = target !== null && factor - 1 < this.#policy.stepRatio;
      const kept = isContent ? Math.min(weight, total * (usePeaks[number] ?? 0) * (1 + USE_MARGIN)) : 0;
      return {
        raw: baseWeight * factor,
        least: Math.max(kept, baseWeight * this.#policy.leastFactor),
        most: baseWeight * this.#policy.mostFactor,
      };
    });
    return normaliseWeights(bounded, total);
  }

  #adaptStep(changes: readonly number[], nowMs: number): void {
    const along = changes.reduce((sum, change, index) => sum + change * (this.#lastMove[index] ?? 0), 0);
    if (along < 0) {
      this.#step = Math.max(this.#step / 2, this.#policy.stepRatio * LEAST_STEP_PART);
      this.#quietSinceMs = nowMs;
    } else if (nowMs - this.#quietSinceMs >= QUIET_WINDOWS * this.#policy.windowMs) {
      this.#step = Math.min(2 * this.#step, this.#policy.stepRatio);
      this.#quietSinceMs = nowMs;
    }
    this.#lastMove = changes;
  }
}
