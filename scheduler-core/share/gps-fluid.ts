import { assertInvariant } from '../kernel/assert.ts';
import { type FlowWeights, flowWeight } from './flow-weights.ts';

export interface FluidStep {
  /** Work that can be served in the step; ≥ 0, may be Infinity. */
  readonly capacity: number;
  /** Work that comes with the step's beginning, by tenant; ≥ 0, finite. */
  readonly offered: ReadonlyMap<string, number> | Readonly<Record<string, number>>;
}

export interface FluidStepResult {
  /** By tenant, of those with work in the step. */
  readonly served: ReadonlyMap<string, number>;
  /** At the step's end, of those with any left. */
  readonly backlog: ReadonlyMap<string, number>;
}

/**
 * Generalized processor sharing of work as a fluid, over steps: in each, all backlogged tenants are served at rates in the
 * proportion of their weights, until one is done, then the rest, and so on, until the capacity is used up. What is left
 * is carried on. Computed by these phases, one tenant's end after the other: an oracle for the recursion of fair service.
 *
 * @param input.weights `w_i`; default all 1; tenants of weight 0 share, equally, in what the others leave over. @throws EVS_INVARIANT for negative or NaN figures.
 */
export function gpsFluid(input: {
  readonly steps: Iterable<FluidStep>;
  readonly weights?: FlowWeights;
}): FluidStepResult[] {
  let backlog: ReadonlyMap<string, number> = new Map();
  return Array.from(input.steps, ({ capacity, offered }) => {
    assertInvariant(capacity >= 0, () => `a capacity must be ≥ 0, got ${capacity}`);
    const work = new Map(backlog);
    for (const [tenant, amount] of offered instanceof Map ? offered : Object.entries(offered)) {
      assertInvariant(amount >= 0 && Number.isFinite(amount), () => `offered work must be ≥ 0, got ${amount}`);
      if (amount > 0) work.set(tenant, (work.get(tenant) ?? 0) + amount);
    }
    const result = serve(work, capacity, input.weights);
    backlog = result.backlog;
    return result;
  });
}

function serve(work: ReadonlyMap<string, number>, capacity: number, weights: FlowWeights | undefined): FluidStepResult {
  const all = Array.from(work, ([tenant, amount]) => ({ tenant, amount, weight: flowWeight(weights, tenant) }));
  const result = { served: new Map<string, number>(), backlog: new Map<string, number>() };
  const weighted = all.filter(({ weight }) => weight > 0);
  const left = drain(weighted, capacity, result);
  const weightless = all.filter(({ weight }) => weight === 0).map((each) => ({ ...each, weight: 1 }));
  // While anybody of weight waits, nothing is left over.
  drain(weightless, result.backlog.size > 0 ? 0 : left, result);
  return result;
}

/** One phase per tenant's end; what of the capacity nobody could use. */
function drain(
  queue: { readonly tenant: string; readonly amount: number; readonly weight: number }[],
  capacity: number,
  { served, backlog }: { readonly served: Map<string, number>; readonly backlog: Map<string, number> },
): number {
  // They are done in this order, as service per weight is the same for all.
  queue.sort((one, other) => one.amount / one.weight - other.amount / other.weight);
  // From the last to the first, so that what remains is never the difference of large sums.
  const weightFrom = new Array<number>(queue.length + 1).fill(0);
  for (let place = queue.length - 1; place >= 0; place--) {
    weightFrom[place] = (weightFrom[place + 1] ?? 0) + (queue[place]?.weight ?? 0);
  }
  let left = capacity;
  let level = 0;
  for (const [place, { tenant, amount, weight }] of queue.entries()) {
    const activeWeight = weightFrom[place] ?? 0;
    const untilDone = Math.max(0, amount / weight - level) * activeWeight;
    if (untilDone <= left) {
      left -= untilDone;
      level = Math.max(level, amount / weight);
      served.set(tenant, amount);
      continue;
    }
    // The capacity ends in this phase: all who are not done stop at one level.
    level += left / activeWeight;
    left = 0;
    const part = Math.min(amount, level * weight);
    served.set(tenant, part);
    if (amount > part) backlog.set(tenant, amount - part);
  }
  return left;
}
