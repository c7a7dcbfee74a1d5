import { assertInvariant } from '../kernel/assert.ts';
import type { DegradationActionKind, DegradationPolicy } from '../policy/policy.ts';

/** So that ten tenths make one. */
const CREDIT_SLACK = 1e-9;

/**
 * Rungs of degradation, climbed and left one at a time, each look `everyMs` apart: up when the load exceeds the next rung's
 * `enterAbove`, down when it is below the present one's `leaveBelow` and the last change is `minDwellMs` past. Climbing waits
 * for no dwell: the rungs below stay in force. Recovers by itself as the load does.
 */
export class DegradationLadder {
  readonly #policy: DegradationPolicy;
  /** How many rungs are in force, from the first. */
  #level = 0;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #nextMs: number;
  readonly #inForce: Readonly<Record<DegradationActionKind, Set<string>>> = {
    pause: new Set(),
    light_mode: new Set(),
    throttle: new Set(),
  };
  /** What each throttled class has saved up towards its next request. */
  readonly #credits = new Map<string, number>();

  constructor(policy: DegradationPolicy, nowMs: number) {
    assertInvariant(policy.everyMs > 0, `a period must be > 0 ms, got ${policy.everyMs}`);
    this.#policy = policy;
    this.#nextMs = nowMs + policy.everyMs;
  }

  /** When it looks next. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** How many rungs are in force. */
  get level(): number {
    return this.#level;
  }

  /** The name of the highest rung in force; null: none is. */
  get levelName(): string | null {
    return this.#policy.levels[this.#level - 1]?.name ?? null;
  }

  /** Looks at the load, in [0, 1], if that is due; true when a rung was climbed or left. */
  run(loadRatio: number, nowMs: number): boolean {
    if (nowMs < this.#nextMs) return false;
    this.#nextMs = nowMs + this.#policy.everyMs;
    const change = this.#changeFor(loadRatio, nowMs);
    if (change === 0) return false;
    this.#level += change;
    this.#changedAtMs = nowMs;
    this.#putInForce();
    return true;
  }

  /** Nothing of the class is dispatched while anything else waits. */
  paused(className: string): boolean {
    return this.#inForce.pause.has(className);
  }

  /** Requests of the class are served in the light mode. */
  lightMode(className: string): boolean {
    return this.#inForce.light_mode.has(className);
  }

  /** Only a part of the class's requests is let in. */
  throttled(className: string): boolean {
    return this.#inForce.throttle.has(className);
  }

  /**
   * Whether a request of the class that arrives now is let in. Of a throttled class the `throttleRatio` part is, evenly
   * spread and without chance: one in two, one in ten. Each call counts as a request.
   */
  letsIn(className: string): boolean {
    if (!this.throttled(className)) return true;
    const credit = (this.#credits.get(className) ?? 0) + this.#policy.throttleRatio;
    const isLetIn = credit >= 1 - CREDIT_SLACK;
    this.#credits.set(className, isLetIn ? Math.max(0, credit - 1) : credit);
    return isLetIn;
  }

  #changeFor(loadRatio: number, nowMs: number): number {
    const { levels, minDwellMs } = this.#policy;
    const next = levels[this.#level];
    if (next !== undefined && loadRatio > next.enterAbove) return 1;
    const present = levels[this.#level - 1];
    if (present === undefined || loadRatio >= present.leaveBelow) return 0;
    return nowMs - this.#changedAtMs >= minDwellMs ? -1 : 0;
  }

  #putInForce(): void {
    for (const classes of Object.values(this.#inForce)) classes.clear();
    for (const { action, class: className } of this.#policy.levels.slice(0, this.#level)) {
      this.#inForce[action].add(className);
    }
    for (const className of this.#credits.keys()) if (!this.throttled(className)) this.#credits.delete(className);
  }
}
