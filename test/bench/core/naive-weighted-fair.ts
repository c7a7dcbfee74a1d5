import type { Dispatch, OfferResult, Request } from '../../../scheduler-core/model.ts';
import type { Decider } from './backlog.ts';

interface Waiting {
  readonly request: Request;
  readonly finishTag: number;
}

/** Self-clocked fair queueing as it is first written down: a list per tenant, and every decision looks at every tenant. */
export class NaiveWeightedFair implements Decider {
  readonly #queues = new Map<string, Waiting[]>();
  readonly #lastFinishTags = new Map<string, number>();
  readonly #weights: ReadonlyMap<string, number>;
  #virtualTime = 0;

  constructor(weights: ReadonlyMap<string, number>) {
    this.#weights = weights;
  }

  offer(request: Request): OfferResult {
    const { tenant, costEstimate = 1 } = request;
    const startTag = Math.max(this.#virtualTime, this.#lastFinishTags.get(tenant) ?? 0);
    const finishTag = startTag + costEstimate / (this.#weights.get(tenant) ?? 1);
    this.#lastFinishTags.set(tenant, finishTag);
    const queue = this.#queues.get(tenant);
    if (queue === undefined) this.#queues.set(tenant, [{ request, finishTag }]);
    else queue.push({ request, finishTag });
    return { refused: null };
  }

  take(): Dispatch | null {
    let best: Waiting[] | null = null;
    for (const queue of this.#queues.values()) {
      if (best === null || (queue[0]?.finishTag ?? 0) < (best[0]?.finishTag ?? 0)) best = queue;
    }
    const next = best?.shift();
    if (best === null || next === undefined) return null;
    const { request, finishTag } = next;
    if (best.length === 0) this.#queues.delete(request.tenant);
    this.#virtualTime = finishTag;
    return { id: request.id, tenant: request.tenant, request, waitedMs: 0, promoted: false, mode: 'normal' };
  }

  complete(): boolean {
    return true;
  }
}
