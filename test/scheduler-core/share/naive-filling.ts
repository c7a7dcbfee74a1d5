export interface Taker {
  readonly need: readonly number[];
  readonly weight: number;
  readonly most: number | null;
  readonly running: number;
}

/**
 * Progressive filling over whole figures, by looking at every tenant for every task and comparing shares as fractions: who
 * is given a task, in order.
 */
export function naiveFilling(capacities: readonly number[], takers: readonly Taker[]): number[] {
  const running = takers.map((taker) => taker.running);
  const order: number[] = [];
  for (const isWeightless of [false, true]) {
    for (;;) {
      const able = takers.flatMap((taker, index) =>
        (taker.weight === 0) === isWeightless && mayRun(capacities, takers, running, index) ? [index] : [],
      );
      const next = able.reduce<number | null>((best, index) => {
        if (best === null) return index;
        const [one, other] = [best, index].map((each) => fraction(capacities, takers[each], running[each] ?? 0));
        if (one === undefined || other === undefined) return best;
        return other.over * one.under < one.over * other.under ? index : best;
      }, null);
      if (next === null) break;
      order.push(next);
      running[next] = (running[next] ?? 0) + 1;
    }
  }
  return order;
}

/** Whether one more task of the tenant fits, and it needs something of what there is. */
function mayRun(
  capacities: readonly number[],
  takers: readonly Taker[],
  running: readonly number[],
  index: number,
): boolean {
  const taker = takers[index];
  if (taker === undefined || (taker.most !== null && (running[index] ?? 0) >= taker.most)) return false;
  if (!capacities.some((capacity, resource) => capacity > 0 && (taker.need[resource] ?? 0) > 0)) return false;
  return capacities.every((capacity, resource) => {
    const need = taker.need[resource] ?? 0;
    const used = takers.reduce((sum, each, other) => sum + (each.need[resource] ?? 0) * (running[other] ?? 0), 0);
    return need === 0 || used + need <= capacity;
  });
}

/** The dominant share per weight. */
function fraction(capacities: readonly number[], taker: Taker | undefined, tasks: number) {
  let largest = { over: 0, under: 1 };
  for (const [resource, capacity] of capacities.entries()) {
    if (capacity === 0) continue;
    const over = tasks * (taker?.need[resource] ?? 0);
    if (over * largest.under > largest.over * capacity) largest = { over, under: capacity };
  }
  const weight = taker === undefined || taker.weight === 0 ? 1 : taker.weight;
  return { over: largest.over, under: largest.under * weight };
}
