import { assertInvariant, EvenshareError } from '../kernel/index.ts';
import type { CompletionStatus, Dispatch, OfferResult, RefusalReason, Request } from '../model.ts';
import type { Policy } from '../policy/policy.ts';
import { FlowHeap } from '../queue/flow-heap.ts';
import { Controllers } from './controllers.ts';
import { DispatchOrder } from './dispatch-order.ts';
import { HeldTenants } from './held-tenants.ts';
import { type Job, JobPool } from './job.ts';
import { costOf } from './request-cost.ts';
import type { Scheduler, SchedulerOptions, SchedulerSnapshot } from './scheduler.ts';
import { Seats } from './seats.ts';
import { type TenantState, TenantStates } from './tenant-states.ts';
import { type BudgetDecision, WaitBudgets } from './wait-budgets.ts';

/**
 * A scheduler under a policy: offer (circuit breaker, degradation, quota, queue limits, wait budget), take (guards, then the
 * discipline), complete (settlement, breaker, statistics), tick (controllers). Time comes in with each call; the same calls
 * with the same seed give the same answers.
 *
 * @throws EVS_POLICY for a policy that could serve nobody.
 */
export function createScheduler<R extends Request>(policy: Policy, options: SchedulerOptions<R>): Scheduler<R> {
  return new ComposedScheduler<R>(policy, options);
}

const IN_TURN: BudgetDecision = { refused: null, urgent: false };
const TAKEN: OfferResult = { refused: null };

class ComposedScheduler<R extends Request> implements Scheduler<R> {
  readonly #policy: Policy;
  readonly #onRefused: SchedulerOptions<R>['onRefused'];
  readonly #tenants: TenantStates;
  readonly #order: DispatchOrder<R>;
  readonly #controllers: Controllers<R>;
  readonly #budgets: WaitBudgets | null;
  readonly #held: HeldTenants<TenantState> | null;
  readonly #seats: Seats;
  /** Waiting and dispatched requests. */
  readonly #jobs = new Map<string, Job<R>>();
  readonly #pool = new JobPool<R>();
  /** Waiting requests with a wait budget, by the time at which it runs out. */
  readonly #deadlines = new FlowHeap<Job<R>>();
  readonly #isPriority: boolean;
  #sequence = 0;

  constructor(policy: Policy, { nowMs, seed = 1, slots = 1, onRefused }: SchedulerOptions<R>) {
    checkPolicy(policy);
    this.#policy = policy;
    this.#onRefused = onRefused;
    this.#isPriority = policy.discipline.kind === 'priority';
    this.#tenants = new TenantStates(policy);
    this.#order = new DispatchOrder<R>(policy, seed);
    this.#controllers = new Controllers<R>(policy, this.#tenants, this.#order, nowMs);
    this.#budgets = policy.waitBudget === null ? null : new WaitBudgets(policy.waitBudget, slots);
    this.#held = mayHold(policy) ? new HeldTenants<TenantState>() : null;
    this.#seats = new Seats(policy);
  }

  offer(request: R, nowMs: number): OfferResult {
    assertInvariant(
      !this.#jobs.has(request.id),
      `the request ${JSON.stringify(request.id)} is waiting or being served`,
    );
    const tenant = this.#tenants.get(request.tenant, nowMs);
    if (tenant === null) return refuse('unknown_tenant', null);
    const className = request.class ?? tenant.policy.class;
    const cost = costOf(request, this.#policy);
    const { breaker } = tenant;
    const ticket = breaker === null ? -1 : breaker.tryAdmit(nowMs);
    if (ticket === null) return refuse('circuit_open', breaker?.retryAfterMs(nowMs) ?? null);
    const refusal = this.#refusalOf(tenant, className, cost, nowMs);
    if (refusal === null) {
      const job = this.#jobOf(request, tenant, className, cost, nowMs);
      const budgeted = this.#admitInBudget(job, nowMs);
      if (budgeted.refused === null) {
        job.ticket = ticket;
        this.#admit(job, budgeted.urgent, nowMs);
        return TAKEN;
      }
      this.#pool.give(job);
      breaker?.release(ticket);
      return budgeted;
    }
    breaker?.release(ticket);
    return refusal;
  }

  take(nowMs: number, freeSlots = Number.POSITIVE_INFINITY): Dispatch<R> | null {
    this.#expire(nowMs);
    this.#releaseHeld(nowMs);
    const job = this.#order.take(nowMs, freeSlots);
    if (job === null) return null;
    this.#leftQueue(job);
    const { tenant, request } = job;
    tenant.inFlight++;
    job.isInFlight = true;
    // Read by the wait budgets alone: a time in a job is a place in memory of its own.
    if (this.#budgets !== null) job.dispatchedAtMs = nowMs;
    job.chargedCost = job.cost;
    if (this.#held !== null && tenant.policy.quota?.mode === 'hold') {
      tenant.bucket?.tryTake(tenant.policy.quota.unit === 'requests' ? 1 : job.cost, nowMs);
      this.#holdIfOver(tenant, nowMs);
    }
    const waitedMs = nowMs - job.offeredAtMs;
    this.#controllers.waited(job.className, waitedMs, nowMs);
    this.#controllers.served(job.className, job.cost);
    const mode = this.#controllers.isLight(job.className) ? 'light' : 'normal';
    return { id: request.id, tenant: tenant.tenant, request, waitedMs, promoted: job.promoted, mode };
  }

  charge(id: string, cost: number, _nowMs: number): void {
    const job = this.#jobs.get(id);
    if (job === undefined || !job.isInFlight) return;
    job.chargedCost += cost;
    this.#order.queue.settle(job, cost);
  }

  // The order of the arguments is that of the published interface; they are read as a sentence.
  complete(id: string, actualCost: number | null, status: CompletionStatus, nowMs: number): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || !job.isInFlight) return false;
    this.#jobs.delete(id);
    const { tenant } = job;
    tenant.inFlight--;
    this.#order.ended(job);
    if (actualCost !== null && this.#policy.settle && this.#policy.costUnit !== 'requests') {
      this.#order.queue.settle(job, actualCost - job.chargedCost);
      job.chargedCost = actualCost;
    }
    if (job.ticket >= 0) {
      if (status === 'cancelled') tenant.breaker?.release(job.ticket);
      else tenant.breaker?.settle(job.ticket, status === 'ok', nowMs);
    }
    this.#budgets?.ended(job.cost, job.slots * (nowMs - job.dispatchedAtMs), nowMs);
    this.#pool.give(job);
    this.#rest();
    return true;
  }

  cancel(id: string, nowMs: number): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || job.isInFlight) return false;
    this.#drop(job, nowMs);
    return true;
  }

  tick(nowMs: number): void {
    this.#expire(nowMs);
    this.#releaseHeld(nowMs);
    this.#controllers.run(nowMs);
  }

  nextWakeMs(): number {
    const deadlineMs = this.#deadlines.peek()?.tag ?? Number.POSITIVE_INFINITY;
    return Math.min(deadlineMs, this.#held?.nextMs() ?? Number.POSITIVE_INFINITY, this.#controllers.nextMs());
  }

  setWeight(tenant: string, weight: number, _nowMs: number): void {
    if (!(weight > 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new EvenshareError(
        'EVS_POLICY',
        `weight ${weight} of ${JSON.stringify(tenant)}: must be a positive number`,
      );
    }
    this.#tenants.setWeight(tenant, weight);
  }

  setSlots(slots: number, _nowMs: number): void {
    this.#budgets?.setSlots(slots);
  }

  snapshot(nowMs: number): SchedulerSnapshot {
    return {
      nowMs,
      waiting: this.#order.queue.size,
      inFlight: this.#order.inFlight,
      promotedInFlight: this.#order.promotedInFlight,
      promotions: this.#order.promotions,
      loadRatio: this.#controllers.loadRatio(),
      refillFactor: this.#controllers.refillFactor,
      level: this.#controllers.level,
      tenants: this.#tenants
        .sorted()
        .filter(({ waiting, inFlight }) => waiting > 0 || inFlight > 0)
        .map((state) => ({
          tenant: state.tenant,
          weight: state.weight,
          waiting: state.waiting,
          waitingCost: state.waitingCost,
          inFlight: state.inFlight,
          breaker: state.breaker?.state(nowMs) ?? 'closed',
        })),
      classes: this.#controllers.classes(nowMs),
    };
  }

  /** Why the request is not let in, before its wait budget is asked. Nothing is taken yet. */
  #refusalOf(tenant: TenantState, className: string | null, cost: number, nowMs: number): OfferResult | null {
    if (this.#controllers.throttles(className)) return refuse('degraded', null);
    const { bucket, policy } = tenant;
    if (bucket !== null && policy.quota !== null) {
      const quotaCost = policy.quota.unit === 'requests' ? 1 : cost;
      if (quotaCost > bucket.burst) return refuse('cost_above_burst', Number.POSITIVE_INFINITY);
      if (policy.quota.mode === 'refuse') {
        const retryAfterMs = bucket.retryAfterMs(quotaCost, nowMs);
        if (retryAfterMs > 0) return refuse('quota', retryAfterMs);
      }
    }
    if (tenant.waiting >= policy.queueLimit || this.#order.queue.size >= this.#policy.totalLimit) {
      return refuse('queue_full', null);
    }
    return null;
  }

  #jobOf(request: R, tenant: TenantState, className: string | null, cost: number, nowMs: number): Job<R> {
    const job = this.#pool.take(request, tenant);
    job.seat = this.#seats.of(tenant, className);
    job.weight = this.#weightOf(tenant, className);
    job.cost = cost;
    job.slots = request.slots ?? 1;
    job.className = className;
    job.sequence = this.#sequence++;
    job.offeredAtMs = nowMs;
    return job;
  }

  #weightOf(tenant: TenantState, className: string | null): number {
    if (this.#policy.shuffleSharding !== null) return 1;
    if (this.#isPriority) return this.#controllers.weightOf(className);
    return tenant.weight * this.#controllers.weightFactorOf(className);
  }

  #admitInBudget(job: Job<R>, nowMs: number): BudgetDecision {
    if (this.#budgets === null) return IN_TURN;
    const waitBudgetMs = this.#waitBudgetMsOf(job);
    if (waitBudgetMs === Number.POSITIVE_INFINITY) return IN_TURN;
    job.tag = nowMs + waitBudgetMs;
    return this.#budgets.decide({ tenant: job.tenant.tenant, entry: job, waitBudgetMs }, this.#order, nowMs);
  }

  #waitBudgetMsOf({ request, tenant, className }: Job<R>): number {
    const ofClass = className === null ? undefined : this.#policy.classes.get(className)?.waitBudgetMs;
    return request.waitBudgetMs ?? tenant.policy.waitBudgetMs ?? ofClass ?? Number.POSITIVE_INFINITY;
  }

  #admit(job: Job<R>, urgent: boolean, nowMs: number): void {
    const { tenant } = job;
    const { quota } = tenant.policy;
    if (quota?.mode === 'refuse') tenant.bucket?.tryTake(quota.unit === 'requests' ? 1 : job.cost, nowMs);
    this.#jobs.set(job.request.id, job);
    tenant.waiting++;
    tenant.waitingCost += job.cost;
    this.#seats.joined(job.seat);
    if (job.tag < Number.POSITIVE_INFINITY) this.#deadlines.push(job);
    this.#order.add(job, urgent, nowMs);
    if (quota?.mode === 'hold') this.#holdIfOver(tenant, nowMs);
  }

  /** Requests that have outlived their wait budgets are given up: to serve them would help nobody. */
  #expire(nowMs: number): void {
    for (let job = this.#deadlines.peek(); job !== undefined && job.tag <= nowMs; job = this.#deadlines.peek()) {
      const { request } = job;
      this.#drop(job, nowMs);
      this.#onRefused?.(request, 'wait_budget', nowMs);
    }
  }

  #drop(job: Job<R>, nowMs: number): void {
    this.#jobs.delete(job.request.id);
    this.#order.remove(job, nowMs);
    this.#leftQueue(job);
    if (job.ticket >= 0) job.tenant.breaker?.release(job.ticket);
    if (job.tenant.policy.quota?.mode === 'hold') this.#holdIfOver(job.tenant, nowMs);
    this.#controllers.waited(job.className, nowMs - job.offeredAtMs, nowMs);
    this.#pool.give(job);
    this.#rest();
  }

  #leftQueue(job: Job<R>): void {
    const { tenant } = job;
    tenant.waiting--;
    tenant.waitingCost = tenant.waiting === 0 ? 0 : tenant.waitingCost - job.cost;
    this.#seats.left(job.seat);
    if (job.heapIndex >= 0) this.#deadlines.remove(job);
  }

  /** Takes a tenant out of turn until its bucket covers its oldest request. */
  #holdIfOver(tenant: TenantState, nowMs: number): void {
    const { quota } = tenant.policy;
    const oldest = this.#order.queue.oldestOf(tenant.seat);
    if (this.#held === null || tenant.bucket === null || quota === null || oldest === null) return;
    const retryAfterMs = tenant.bucket.retryAfterMs(quota.unit === 'requests' ? 1 : oldest.cost, nowMs);
    this.#held.hold(tenant, retryAfterMs > 0 ? nowMs + retryAfterMs : null);
    this.#order.queue.setHeld(tenant.seat, retryAfterMs > 0);
  }

  #releaseHeld(nowMs: number): void {
    if (this.#held === null) return;
    for (const tenant of this.#held.due(nowMs)) this.#holdIfOver(tenant, nowMs);
  }

  /** The whole system is idle: nothing of the past counts any more. */
  #rest(): void {
    if (this.#order.inFlight === 0 && this.#order.queue.size === 0) this.#order.queue.reset();
  }
}

function refuse(refused: RefusalReason, retryAfterMs: number | null): Exclude<OfferResult, { refused: null }> {
  return { refused, retryAfterMs };
}

function mayHold(policy: Policy): boolean {
  return [policy.defaultTenant, ...policy.tenants.values()].some(({ quota }) => quota?.mode === 'hold');
}

function checkPolicy(policy: Policy): void {
  if (mayHold(policy) && (policy.shuffleSharding !== null || ['fifo', 'priority'].includes(policy.discipline.kind))) {
    throw new EvenshareError(
      'EVS_POLICY',
      'quota mode "hold" needs a discipline with a queue per tenant (wfq, wf2q, drr, vtc): use "refuse"',
    );
  }
}
