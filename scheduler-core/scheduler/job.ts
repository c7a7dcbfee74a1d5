import type { Aged, AgeList } from '../guard/age-index.ts';
import type { Request } from '../model.ts';
import { Waiting } from '../queue/waiting.ts';
import type { TenantState } from './tenant-states.ts';

/** A request from its offer to its completion: what the parts of a scheduler keep of it. */
export class Job<R extends Request> extends Waiting<Job<R>> implements Aged<Job<R>> {
  request: R;
  tenant: TenantState;
  offeredAtMs = 0;
  /** What its flow was charged until now, in the policy's cost unit. */
  chargedCost = 0;
  /** Whether it was dispatched; and when, where wait budgets ask. */
  isInFlight = false;
  dispatchedAtMs = 0;
  promoted = false;
  /** Of its tenant's breaker; −1: none. */
  ticket = -1;
  /** When its wait budget runs out; where it stands among the others that have one. */
  tag = Number.POSITIVE_INFINITY;
  heapIndex = -1;
  ageList: AgeList<Job<R>> | null = null;
  older: Job<R> | null = null;
  younger: Job<R> | null = null;

  constructor(request: R, tenant: TenantState) {
    super(tenant.seat);
    this.request = request;
    this.tenant = tenant;
  }

  get tie(): number {
    return this.sequence;
  }
}

/** So many are kept for use; a drained flood leaves the rest to the collector. */
const MOST_SPARE = 1024;

/** Jobs to be used again. A spare one holds on to its last request until then. */
export class JobPool<R extends Request> {
  readonly #spare: Job<R>[] = [];

  take(request: R, tenant: TenantState): Job<R> {
    const job = this.#spare.pop();
    if (job === undefined) return new Job<R>(request, tenant);
    job.request = request;
    job.tenant = tenant;
    job.isInFlight = false;
    job.promoted = false;
    job.ticket = -1;
    job.tag = Number.POSITIVE_INFINITY;
    job.chargedCost = 0;
    return job;
  }

  /** The job has ended and nothing refers to it any more. */
  give(job: Job<R>): void {
    if (this.#spare.length < MOST_SPARE) this.#spare.push(job);
  }
}
