import type { Request } from '../../../scheduler-core/model.ts';

interface NaiveQueue {
  readonly tenant: string;
  readonly waiting: Request[];
  deficit: number;
}

/**
 * Deficit round robin word for word, the oracle: one visit after another, one grant each, nothing skipped. Exact where
 * quantum, weights and costs are small dyadic numbers.
 */
export class NaiveRoundRobin {
  readonly quantum: number;
  readonly perTenantLimit: number;
  readonly weightOf: (tenant: string) => number;
  active: NaiveQueue[] = [];
  /** The tenant whose visit goes on: it has had its grant. */
  visited: NaiveQueue | null = null;

  constructor(quantum: number, perTenantLimit: number, weightOf: (tenant: string) => number) {
    this.quantum = quantum;
    this.perTenantLimit = perTenantLimit;
    this.weightOf = weightOf;
  }

  offer(request: Request): boolean {
    let queue = this.active.find(({ tenant }) => tenant === request.tenant);
    if (queue === undefined) {
      queue = { tenant: request.tenant, waiting: [], deficit: 0 };
      this.active = [...this.active, queue];
    }
    if (queue.waiting.length >= this.perTenantLimit) return false;
    queue.waiting.push(request);
    return true;
  }

  take(): Request | null {
    while (this.active.length > 0) {
      const [queue, ...others] = this.active;
      const head = queue?.waiting[0];
      if (queue === undefined || head === undefined) throw new Error('an active queue is not empty');
      if (this.visited !== queue) {
        this.visited = queue;
        queue.deficit += this.quantum * this.weightOf(queue.tenant);
      }
      if (head.costEstimate <= queue.deficit) {
        queue.waiting.shift();
        queue.deficit -= head.costEstimate;
        if (queue.waiting.length === 0) {
          this.active = others;
          this.visited = null;
        }
        return head;
      }
      this.active = [...others, queue];
      this.visited = null;
    }
    return null;
  }
}
