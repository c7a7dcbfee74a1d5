import { assertInvariant, EvenshareError } from '../kernel/index.ts';
import type { Request } from '../model.ts';
import { RingBuffer } from './ring-buffer.ts';
import { ACCEPTED, type OfferResult, QUEUE_FULL, type QueueDiscipline, requireLimit } from './scheduler.ts';

export interface DeficitRoundRobinOptions {
  /** Q: cost granted per round to a tenant of weight 1, in the unit of `costEstimate`; finite, > 0. */
  readonly quantumCost: number;
  /** How many requests of one tenant may wait: an integer ≥ 1, or Infinity. */
  readonly perTenantLimit: number;
  /** Finite, > 0. A tenant that is not named has `defaultWeight`. */
  readonly weights?: ReadonlyMap<string, number>;
  /** Default 1. */
  readonly defaultWeight?: number;
}

interface TenantQueue<R extends Request> {
  readonly tenant: string;
  readonly grantCost: number;
  readonly waiting: RingBuffer<R>;
  deficitCost: number;
}

/**
 * A cost is covered when it exceeds the deficit by no more than this part of itself: sums of rounded grants (0.1 eight
 * times over is less than 0.8) must not cost a tenant a round, nor a grant too small to register block one for ever.
 * What is lent so stays owed: the deficit goes below zero, nothing is minted.
 */
const ROUNDING_RATIO = 1e-12;

/**
 * Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). Waiting tenants stand in a ring. On each visit a tenant is
 * granted Q · wᵢ and served, first in first out, while its deficit covers its head; then the next has its turn. A queue
 * that empties leaves the ring and loses its deficit; a tenant that (re)appears joins at the end.
 *
 * For any two tenants that wait throughout an interval, |servedᵢ/wᵢ − servedⱼ/wⱼ| ≤ Q + L/wᵢ + L/wⱼ, with L the largest
 * cost. O(1) amortised per call while each grant is at least the largest cost; smaller grants cost at most two passes
 * over the waiting tenants per decision, since rounds that serve nobody are skipped by arithmetic. Memory: the waiting
 * requests and tenants. A request of cost 0 is always covered: whoever sends only such is not held back.
 *
 * Throws `EVS_POLICY` when Q · wᵢ is not finite and positive for some tenant, or the limit is none.
 */
export class DeficitRoundRobinQueue<R extends Request> implements QueueDiscipline<R> {
  readonly #perTenantLimit: number;
  readonly #grantCosts: ReadonlyMap<string, number>;
  readonly #defaultGrantCost: number;
  readonly #tenants = new Map<string, TenantQueue<R>>();
  readonly #ring = new RingBuffer<TenantQueue<R>>();
  /** Whether the tenant at the front has had its grant for this visit. */
  #frontGranted = false;
  #size = 0;

  constructor(options: DeficitRoundRobinOptions) {
    requireLimit('perTenantLimit', options.perTenantLimit);
    this.#perTenantLimit = options.perTenantLimit;
    this.#defaultGrantCost = grantOf(options.quantumCost, options.defaultWeight ?? 1, 'defaultWeight');
    this.#grantCosts = new Map(
      Array.from(options.weights ?? [], ([tenant, weight]) => [
        tenant,
        grantOf(options.quantumCost, weight, `the weight of ${JSON.stringify(tenant)}`),
      ]),
    );
  }

  get size(): number {
    return this.#size;
  }

  /** What the tenant may still spend on this visit or carries to the next, in cost units; 0 when it does not wait. */
  deficitOf(tenant: string): number {
    return this.#tenants.get(tenant)?.deficitCost ?? 0;
  }

  offer(request: R): OfferResult {
    const cost = request.costEstimate;
    assertInvariant(Number.isFinite(cost) && cost >= 0, `a cost estimate must be finite and at least 0, not ${cost}`);
    const queue = this.#tenants.get(request.tenant) ?? this.#join(request.tenant);
    if (queue.waiting.length >= this.#perTenantLimit) return QUEUE_FULL;
    queue.waiting.push(request);
    this.#size++;
    return ACCEPTED;
  }

  take(): R | null {
    let visitsInVain = 0;
    for (;;) {
      const front = this.#ring.peek();
      const head = front?.waiting.peek();
      if (front === undefined || head === undefined) return null;
      if (!this.#frontGranted) {
        front.deficitCost += front.grantCost;
        this.#frontGranted = true;
      }
      if (head.costEstimate * (1 - ROUNDING_RATIO) <= front.deficitCost) return this.#serve(front, head);
      this.#passOn();
      visitsInVain++;
      if (visitsInVain === this.#ring.length) {
        this.#skipRounds();
        visitsInVain = 0;
      }
    }
  }

  #join(tenant: string): TenantQueue<R> {
    const queue: TenantQueue<R> = {
      tenant,
      grantCost: this.#grantCosts.get(tenant) ?? this.#defaultGrantCost,
      waiting: new RingBuffer<R>(),
      deficitCost: 0,
    };
    this.#tenants.set(tenant, queue);
    this.#ring.push(queue);
    return queue;
  }

  #serve(front: TenantQueue<R>, head: R): R {
    front.waiting.shift();
    front.deficitCost -= head.costEstimate;
    this.#size--;
    if (front.waiting.length === 0) {
      this.#ring.shift();
      this.#frontGranted = false;
      this.#tenants.delete(front.tenant);
    }
    return head;
  }

  /** Ends the visit of the tenant at the front: it goes to the end of the ring and keeps its deficit. */
  #passOn(): void {
    const front = this.#ring.shift();
    if (front !== undefined) this.#ring.push(front);
    this.#frontGranted = false;
  }

  /** After a round that served nobody: grants at once all rounds that would serve nobody either. */
  #skipRounds(): void {
    let idleRounds = Number.POSITIVE_INFINITY;
    for (const { waiting, deficitCost, grantCost } of this.#ring) {
      const coveredCost = (waiting.peek()?.costEstimate ?? 0) * (1 - ROUNDING_RATIO);
      idleRounds = Math.min(idleRounds, Math.ceil((coveredCost - deficitCost) / grantCost) - 1);
    }
    if (idleRounds <= 0) return;
    for (const queue of this.#ring) queue.deficitCost += idleRounds * queue.grantCost;
  }
}

function grantOf(quantumCost: number, weight: number, name: string): number {
  const grantCost = quantumCost * weight;
  if (quantumCost > 0 && weight > 0 && grantCost > 0 && Number.isFinite(grantCost)) return grantCost;
  throw new EvenshareError(
    'EVS_POLICY',
    `quantumCost ${quantumCost} × ${name} ${weight} would serve nobody: both must be positive numbers`,
  );
}
