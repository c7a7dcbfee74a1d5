import { assertInvariant } from '../kernel/assert.ts';
import { KeyHeap } from './key-heap.ts';

/** Of a capacity: what the rounding of a sum of many demands may go beyond it. */
const FIT_SLACK = 1e-9;

export interface DominantResourceOptions {
  /** `w_i` ≥ 0, finite; default all 1. Weight 0 shares, equally, in what the others leave over. */
  readonly weights?: readonly number[];
  /** Tasks that each tenant wants in all, ≥ 0; default boundless. */
  readonly maxTasks?: readonly number[];
  /** Tasks that run already and are not taken back, whole and ≥ 0; default none. So that capacities may change: see below. */
  readonly initialTasks?: readonly number[];
}

export interface DominantResourceResult {
  /** Tasks per tenant, those that ran already included. */
  readonly tasks: number[];
  /** `s_i = max_r u_ir/C_r` per tenant; not divided by its weight. */
  readonly dominantShares: number[];
  /** Who was given a task, one by one; tasks that ran already are not in it. */
  readonly order: number[];
}

/**
 * Dominant resource fairness by progressive filling in whole tasks: the next task goes to the tenant with the smallest
 * dominant share per weight, ties to the first. A tenant whose next task does not fit is out, the others go on, so that
 * nothing that could be used stays idle. O((tenants + tasks) · (log tenants + resources)).
 *
 * When capacities, tenants or demands change, call again with what runs as `initialTasks`: nothing is taken back, who has
 * more than its share waits until the others have caught up.
 *
 * Resources of capacity 0 serve nobody who needs them and count in nobody's dominant share. A tenant that needs nothing of
 * anything has no share to be fair about and is given no tasks.
 *
 * @param capacities `C_r` ≥ 0, finite; @param demands per tenant, its need per task of each resource, ≥ 0 and finite.
 * @throws EVS_INVARIANT for other figures, and for rows that do not have one figure per resource.
 * Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011, algorithm 1; THEORY.md, "Dominant resource fairness".
 */
export function dominantResourceFairness(
  capacities: readonly number[],
  demands: readonly (readonly number[])[],
  options: DominantResourceOptions = {},
): DominantResourceResult {
  const weights = demands.map((_, tenant) => options.weights?.[tenant] ?? 1);
  const mostTasks = demands.map((_, tenant) => options.maxTasks?.[tenant] ?? Number.POSITIVE_INFINITY);
  const tasks = demands.map((_, tenant) => options.initialTasks?.[tenant] ?? 0);
  check(capacities, demands, { weights, mostTasks, tasks });
  const used = capacities.map((_, resource) =>
    demands.reduce((sum, need, tenant) => sum + at(need, resource) * at(tasks, tenant), 0),
  );
  const dominant = demands.map((need) => dominantResource(need, capacities));
  const order: number[] = [];

  const fits = (tenant: number): boolean =>
    at(tasks, tenant) + 1 <= at(mostTasks, tenant) &&
    capacities.every((capacity, resource) => {
      const need = at(demands[tenant], resource);
      return need === 0 || at(used, resource) + need <= capacity * (1 + FIT_SLACK);
    });
  /** One division: whole figures that are equal as fractions are then equal in their last bit, and tie. */
  const shareOf = (tenant: number, weight: number): number => {
    const resource = dominant[tenant] ?? null;
    if (resource === null) return 0;
    return (at(tasks, tenant) * at(demands[tenant], resource)) / (at(capacities, resource) * weight);
  };
  const fill = (members: readonly number[], weightOf: (tenant: number) => number): void => {
    const next = new KeyHeap(demands.length);
    for (const tenant of members) next.push(tenant, shareOf(tenant, weightOf(tenant)));
    for (let tenant = next.peek(); tenant !== null; tenant = next.peek()) {
      if (!fits(tenant)) {
        next.pop();
        continue;
      }
      order.push(tenant);
      tasks[tenant] = at(tasks, tenant) + 1;
      for (let resource = 0; resource < used.length; resource++) {
        used[resource] = at(used, resource) + at(demands[tenant], resource);
      }
      next.rekeyFirst(shareOf(tenant, weightOf(tenant)));
    }
  };
  const members = dominant.flatMap((resource, tenant) => (resource === null ? [] : [tenant]));
  fill(
    members.filter((tenant) => at(weights, tenant) > 0),
    (tenant) => at(weights, tenant),
  );
  fill(
    members.filter((tenant) => at(weights, tenant) === 0),
    () => 1,
  );
  return { tasks, dominantShares: demands.map((_, tenant) => shareOf(tenant, 1)), order };
}

/** The resource of which a task takes the largest part, ties to the first; null when it needs nothing that there is. */
function dominantResource(need: readonly number[], capacities: readonly number[]): number | null {
  let dominant: number | null = null;
  let largest = 0;
  for (const [resource, capacity] of capacities.entries()) {
    const part = capacity === 0 ? 0 : at(need, resource) / capacity;
    if (part <= largest) continue;
    dominant = resource;
    largest = part;
  }
  return dominant;
}

function check(
  capacities: readonly number[],
  demands: readonly (readonly number[])[],
  per: {
    readonly weights: readonly number[];
    readonly mostTasks: readonly number[];
    readonly tasks: readonly number[];
  },
): void {
  const isAmount = (value: number): boolean => value >= 0 && Number.isFinite(value);
  assertInvariant(capacities.every(isAmount), 'capacities must be ≥ 0 and finite');
  assertInvariant(
    demands.every((need) => need.length === capacities.length && need.every(isAmount)),
    'each tenant needs one figure per resource, ≥ 0 and finite',
  );
  assertInvariant(per.weights.every(isAmount), 'weights must be ≥ 0 and finite');
  assertInvariant(
    per.mostTasks.every((most) => most >= 0),
    'maxTasks must be ≥ 0',
  );
  assertInvariant(
    per.tasks.every((count) => Number.isSafeInteger(count) && count >= 0),
    'initialTasks must be whole and ≥ 0',
  );
}

function at(values: readonly number[] | undefined, index: number): number {
  return values?.[index] ?? 0;
}
