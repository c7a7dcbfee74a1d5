import type { ShuffleShardingPolicy } from '../policy/policy.ts';
import { dealHand } from './deal-hand.ts';
import { hash64 } from './hash64.ts';

/**
 * Deals tenants onto few queues: each has a hand of queues by the hash of its name, and each request of it joins the shortest
 * of its hand (ties: the first dealt). A tenant that floods fills its own hand only; two tenants seldom have the same.
 * Hands are remembered for the tenants that come most: memory is bounded.
 */
export class ShuffleSharding {
  readonly #policy: ShuffleShardingPolicy;
  readonly #waiting: number[];
  readonly #hands = new Map<string, readonly number[]>();

  constructor(policy: ShuffleShardingPolicy) {
    this.#policy = policy;
    this.#waiting = new Array<number>(policy.queues).fill(0);
  }

  /** The queue that a request of the tenant joins now. */
  shortestOf(tenant: string): number {
    let shortest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const queue of this.#handOf(tenant)) {
      const waiting = this.#waiting[queue] ?? 0;
      if (waiting >= least) continue;
      least = waiting;
      shortest = queue;
    }
    return shortest;
  }

  joined(queue: number): void {
    this.#waiting[queue] = (this.#waiting[queue] ?? 0) + 1;
  }

  left(queue: number): void {
    this.#waiting[queue] = (this.#waiting[queue] ?? 0) - 1;
  }

  #handOf(tenant: string): readonly number[] {
    const known = this.#hands.get(tenant);
    if (known !== undefined) return known;
    const hand = dealHand(hash64(tenant), this.#policy.queues, this.#policy.handSize);
    if (this.#hands.size >= MAX_HANDS) this.#hands.clear();
    this.#hands.set(tenant, hand);
    return hand;
  }
}

const MAX_HANDS = 100_000;
