/** Weighted max-min as it is first written down: sort everybody by demand per weight, then satisfy from the bottom. */
export function naiveMaxMin(demands: readonly number[], capacity: number, weights: readonly number[]): number[] {
  const order = demands
    .map((demand, index) => ({ index, demand, weight: weights[index] ?? 1 }))
    .sort((left, right) => left.demand / left.weight - right.demand / right.weight);
  const shares = new Array<number>(demands.length).fill(0);
  let left = capacity;
  let weight = order.reduce((sum, one) => sum + one.weight, 0);
  for (const one of order) {
    const share = Math.min(one.demand, (left * one.weight) / weight);
    shares[one.index] = share;
    left -= share;
    weight -= one.weight;
  }
  return shares;
}
