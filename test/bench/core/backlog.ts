import { assertInvariant, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import type { Request } from '../../../scheduler-core/model.ts';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import type { Scheduler } from '../../../scheduler-core/scheduler/index.ts';

/** The part of a scheduler that decisions go through; its naive rivals have it too. */
export type Decider = Pick<Scheduler, 'offer' | 'take' | 'complete'>;

export const DISCIPLINES = ['drr', 'wfq', 'wf2q', 'vtc', 'fifo'] as const;
export type DisciplineKind = (typeof DISCIPLINES)[number];

const WEIGHTS = [1, 2, 4, 8];
/** Costs are whole and small, so that their sums are exact. */
const LARGEST_COST = 10;
/** Time between two decisions. */
const STEP_MS = 0.01;

/** `name`: which tenant of how many; every fourth has the same weight. */
export const weightOf = (index: number): number => WEIGHTS[index % WEIGHTS.length] ?? 1;
export const tenantName = (index: number): string => `tenant-${index}`;

export interface BacklogPolicy {
  readonly discipline: DisciplineKind;
  readonly tenants: number;
  /** Other keys of the fuller form. */
  readonly also?: Readonly<Record<string, unknown>>;
}

export function policyOf({ discipline, tenants, also = {} }: BacklogPolicy): Policy {
  return parsePolicy({
    cost_unit: 'tokens',
    discipline: discipline === 'drr' ? { kind: 'drr', quantum: LARGEST_COST } : discipline,
    weights: new Map(Array.from({ length: tenants }, (_, index) => [tenantName(index), weightOf(index)])),
    ...also,
  });
}

export interface BacklogOptions {
  readonly tenants: number;
  /** Requests of each that wait at any time; the served one comes back at once. */
  readonly depth: number;
  /** Requests that are served at a time. */
  readonly slots: number;
}

/**
 * Tenants that always have something waiting: each decision takes a request, completes the one that has been served for
 * longest, and offers it anew. Request objects are made once, so that what is measured is the scheduler.
 */
export class Backlog {
  readonly #decider: Decider;
  readonly #inService: (Request | null)[];
  #next = 0;
  nowMs = 0;
  /** Dispatches that went ahead of their turn. */
  promotions = 0;

  constructor(decider: Decider, { tenants, depth, slots }: BacklogOptions) {
    this.#decider = decider;
    this.#inService = new Array<Request | null>(slots).fill(null);
    const random = seededRandom(1);
    const requests: Request[] = [];
    for (let round = 0; round < depth; round++) {
      for (let index = 0; index < tenants; index++) {
        const costEstimate = 1 + Math.floor(random.next() * LARGEST_COST);
        requests.push({ id: `request-${round}-${index}`, tenant: tenantName(index), costEstimate });
      }
    }
    for (const request of requests) this.#offer(request);
  }

  /** Makes so many decisions. */
  run(decisions: number): void {
    const inService = this.#inService;
    for (let decision = 0; decision < decisions; decision++) {
      this.nowMs += STEP_MS;
      const dispatch = this.#decider.take(this.nowMs);
      if (dispatch?.promoted === true) this.promotions++;
      const slot = this.#next;
      this.#next = slot + 1 === inService.length ? 0 : slot + 1;
      const ended = inService[slot];
      inService[slot] = dispatch === null ? null : dispatch.request;
      if (ended === null || ended === undefined) continue;
      this.#decider.complete(ended.id, ended.costEstimate ?? 1, 'ok', this.nowMs);
      this.#offer(ended);
    }
  }

  #offer(request: Request): void {
    const { refused } = this.#decider.offer(request, this.nowMs);
    assertInvariant(refused === null, `a request was refused: ${refused}`);
  }
}
