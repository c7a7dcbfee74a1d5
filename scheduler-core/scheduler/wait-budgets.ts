import { Throughput } from '../admission/throughput.ts';
import { decideWaitBudget, predictWaitMs } from '../admission/wait-budget.ts';
import { PromotionBudget, type PromotionLoad } from '../guard/promotion-budget.ts';
import type { WaitBudgetPolicy } from '../policy/policy.ts';
import type { QueueDiscipline, Waiting } from '../queue/index.ts';

/** What the decision needs to know of the order of dispatch. */
export interface DispatchOutlook<W extends Waiting<W>> extends PromotionLoad {
  readonly queue: QueueDiscipline<W>;
  /** How many wait to go before all others; what they cost. */
  readonly urgentWaiting: number;
  readonly urgentCost: number;
}

export type BudgetDecision =
  | { readonly refused: null; readonly urgent: boolean }
  | { readonly refused: 'wait_budget'; readonly retryAfterMs: number | null };

/** Admission by predicted wait: throughput as it was measured, the queue as it stands. */
export class WaitBudgets {
  readonly #policy: WaitBudgetPolicy;
  readonly #throughput: Throughput;
  readonly #boosts: PromotionBudget;

  constructor(policy: WaitBudgetPolicy, slots: number) {
    this.#policy = policy;
    this.#throughput = new Throughput({ quantile: policy.throughputQuantile, slots });
    this.#boosts = new PromotionBudget({
      inFlightRatio: policy.boostShareMax,
      perTenantHourly: policy.perTenantBoostHourly,
    });
  }

  setSlots(slots: number): void {
    this.#throughput.setSlots(slots);
  }

  /** A request has ended: its cost as it was estimated, like the costs that lie ahead, and its slots × service time. */
  ended(cost: number, slotMs: number, nowMs: number): void {
    this.#throughput.record(cost, slotMs, nowMs);
  }

  /** Whether to let the request in, and whether ahead of its turn; a boost that is granted is charged to the budgets. */
  decide<W extends Waiting<W>>(
    request: { readonly tenant: string; readonly entry: W; readonly waitBudgetMs: number },
    outlook: DispatchOutlook<W>,
    nowMs: number,
  ): BudgetDecision {
    if (!this.#policy.predict) return { refused: null, urgent: false };
    const { entry, tenant, waitBudgetMs } = request;
    const costPerMs = this.#throughput.costPerMs(nowMs);
    const costAhead = outlook.queue.costAhead(entry) + outlook.urgentCost;
    // Who was let in ahead and waits still has taken its part of the budget.
    const load: PromotionLoad = {
      inFlight: outlook.inFlight,
      promotedInFlight: outlook.promotedInFlight + outlook.urgentWaiting,
      dispatches: outlook.dispatches,
    };
    const question = {
      predictedWaitMs: predictWaitMs({ costAhead, costPerMs }),
      waitBudgetMs,
      promotedWaitMs: predictWaitMs({ costAhead: outlook.urgentCost, costPerMs }),
      mayPromote: this.#boosts.mayPromote(load),
    };
    const decision = decideWaitBudget(question);
    if (decision.kind === 'refuse') return { refused: 'wait_budget', retryAfterMs: decision.retryAfterMs };
    if (decision.kind === 'admit' || this.#boosts.tryPromote(tenant, load, nowMs)) {
      return { refused: null, urgent: decision.kind === 'promote' };
    }
    // Its tenant has used up its boosts.
    const refusal = decideWaitBudget({ ...question, mayPromote: false });
    return { refused: 'wait_budget', retryAfterMs: refusal.kind === 'refuse' ? refusal.retryAfterMs : null };
  }
}
