import { AgeIndex, type AgeList } from '../guard/age-index.ts';
import { ClassBoost } from '../guard/boost.ts';
import { PromotionBudget } from '../guard/promotion-budget.ts';
import type { Request } from '../model.ts';
import type { Policy } from '../policy/policy.ts';
import { createQueue, type QueueDiscipline } from '../queue/index.ts';
import type { Job } from './job.ts';

/**
 * Who goes next: what was let in for its wait budget, what the starvation guard finds overdue, a boosted class, else the
 * discipline's choice; a paused class when nothing else waits. Whoever goes ahead of its turn pays like everybody else.
 */
export class DispatchOrder<R extends Request> {
  readonly queue: QueueDiscipline<Job<R>>;
  readonly #policy: Policy;
  readonly #ages: AgeIndex<Job<R>> | null;
  readonly #boost: ClassBoost | null;
  readonly #guardBudget: PromotionBudget | null;
  readonly #urgent = new Set<Job<R>>();
  readonly #pausedClasses = new Set<string>();
  /** Waiting requests per class, for the boosts. */
  readonly #waitingOfClass = new Map<string, number>();
  #urgentCost = 0;
  #pausedWaiting = 0;
  #inFlight = 0;
  #promotedInFlight = 0;
  #dispatches = 0;
  #promotions = 0;

  constructor(policy: Policy, seed: number) {
    this.#policy = policy;
    this.queue = createQueue<Job<R>>(policy.discipline, seed);
    const { starvationGuard: guard, boost, sloWeights } = policy;
    const isAgeAsked = guard !== null || boost !== null || sloWeights !== null;
    this.#ages = isAgeAsked ? new AgeIndex<Job<R>>() : null;
    this.#boost = boost === null ? null : new ClassBoost(boost);
    this.#guardBudget = guard === null ? null : new PromotionBudget(guard);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get promotedInFlight(): number {
    return this.#promotedInFlight;
  }

  get dispatches(): number {
    return this.#dispatches;
  }

  get promotions(): number {
    return this.#promotions;
  }

  /** How many were let in ahead of their turn and wait still; what they cost. */
  get urgentWaiting(): number {
    return this.#urgent.size;
  }

  get urgentCost(): number {
    return this.#urgentCost;
  }

  /** Requests of the class that have waited for so long or longer. */
  waitingBeyond(className: string, waitMs: number, nowMs: number): number {
    return this.#ages?.countOfClass(className, nowMs - waitMs) ?? 0;
  }

  isBoosted(className: string, nowMs: number): boolean {
    return this.#boost?.isBoosted(className, nowMs) ?? false;
  }

  isPaused(className: string): boolean {
    return this.#pausedClasses.has(className);
  }

  /** `urgent`: it goes before all others. */
  add(job: Job<R>, urgent: boolean, nowMs: number): void {
    this.queue.push(job);
    // A quota that holds requests back is not got round by waiting.
    if (this.#ages !== null && job.tenant.policy.quota?.mode !== 'hold') this.#ages.add(job);
    if (urgent) {
      this.#urgent.add(job);
      this.#urgentCost += job.cost;
    }
    if (job.className === null) return;
    this.#boost?.waits(job.className, nowMs);
    if (this.#boost !== null || this.#policy.degradation !== null) this.#countClass(job.className, 1);
  }

  take(nowMs: number, freeSlots: number): Job<R> | null {
    if (this.queue.size === 0) return null;
    const ahead =
      this.#urgentJob(freeSlots) ?? this.#overdueJob(nowMs, freeSlots) ?? this.#boostedJob(nowMs, freeSlots);
    if (ahead !== null) {
      this.queue.withdraw(ahead, true);
      ahead.promoted = true;
      this.#promotions++;
      this.#promotedInFlight++;
    }
    let job = ahead ?? this.queue.take(freeSlots);
    if (job === null && this.#pausedWaiting > 0) job = this.queue.take(freeSlots, true);
    if (job === null) return null;
    this.#left(job, nowMs);
    if (job.className !== null) this.#boost?.served(job.className, nowMs);
    this.#inFlight++;
    this.#dispatches++;
    return job;
  }

  /** A waiting request has gone unserved. */
  remove(job: Job<R>, nowMs: number): void {
    this.queue.withdraw(job, false);
    this.#left(job, nowMs);
  }

  /** A dispatched request has ended. */
  ended(job: Job<R>): void {
    this.#inFlight--;
    if (job.promoted) this.#promotedInFlight--;
  }

  setPaused(className: string, paused: boolean): void {
    if (this.#pausedClasses.has(className) === paused) return;
    if (paused) this.#pausedClasses.add(className);
    else this.#pausedClasses.delete(className);
    this.#pausedWaiting += (paused ? 1 : -1) * (this.#waitingOfClass.get(className) ?? 0);
    this.queue.setPaused(className, paused);
  }

  #left(job: Job<R>, nowMs: number): void {
    this.#ages?.remove(job);
    if (this.#urgent.size > 0 && this.#urgent.delete(job)) {
      this.#urgentCost = this.#urgent.size === 0 ? 0 : this.#urgentCost - job.cost;
    }
    if (job.className === null || !this.#waitingOfClass.has(job.className)) return;
    this.#countClass(job.className, -1);
    if (!this.#waitingOfClass.has(job.className)) this.#boost?.emptied(job.className, nowMs);
  }

  #countClass(className: string, change: number): void {
    const waiting = (this.#waitingOfClass.get(className) ?? 0) + change;
    if (waiting === 0) this.#waitingOfClass.delete(className);
    else this.#waitingOfClass.set(className, waiting);
    if (this.#pausedClasses.has(className)) this.#pausedWaiting += change;
  }

  #urgentJob(freeSlots: number): Job<R> | null {
    if (this.#urgent.size === 0) return null;
    for (const job of this.#urgent) if (job.slots <= freeSlots && !this.#isPausedJob(job)) return job;
    return null;
  }

  #overdueJob(nowMs: number, freeSlots: number): Job<R> | null {
    const guard = this.#policy.starvationGuard;
    if (guard === null || this.#ages === null || this.#guardBudget === null) return null;
    const load = { inFlight: this.#inFlight, promotedInFlight: this.#promotedInFlight, dispatches: this.#dispatches };
    if (!this.#guardBudget.mayPromote(load)) return null;
    for (;;) {
      const job = this.#ages.mostOverdue(nowMs, guard.maxWaitMs, (list) => this.#mayGo(list, freeSlots));
      if (job === null || this.#guardBudget.tryPromote(job.tenant.tenant, load, nowMs)) return job;
      // Its tenant has used up its promotions: this one takes its turn, and those behind it are looked at.
      this.#ages.passOver(job);
    }
  }

  #boostedJob(nowMs: number, freeSlots: number): Job<R> | null {
    const className = this.#boost?.first(nowMs) ?? null;
    if (className === null || this.#ages === null) return null;
    return this.#ages.oldest((list) => list.className === className && this.#mayGo(list, freeSlots));
  }

  #mayGo(list: AgeList<Job<R>>, freeSlots: number): boolean {
    return list.slots <= freeSlots && (list.className === null || !this.#pausedClasses.has(list.className));
  }

  #isPausedJob(job: Job<R>): boolean {
    return job.className !== null && this.#pausedClasses.has(job.className);
  }
}
