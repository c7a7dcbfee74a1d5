export interface Claim {
  readonly demand: number;
  /** ≥ 0. */
  readonly weight: number;
}

/**
 * Weighted max-min by the rule that a child would follow: pour equally per weight until somebody is full, take those who
 * are full away, pour on. Who has weight 0 gets equal parts of what is left. Knows nothing of the product's selection.
 */
export function naiveWaterFilling(claims: readonly Claim[], capacity: number): number[] {
  const shares = claims.map(() => 0);
  const left = pour(shares, claims, (claim) => claim.weight, capacity);
  pour(shares, claims, (claim) => (claim.weight === 0 ? 1 : 0), left);
  return shares;
}

/** Pours to those whose rate is above 0; gives back what they left. */
function pour(shares: number[], claims: readonly Claim[], rateOf: (claim: Claim) => number, capacity: number): number {
  let left = capacity;
  let open = [...claims.entries()].filter(([, claim]) => rateOf(claim) > 0 && claim.demand > 0);
  while (open.length > 0) {
    const rates = open.reduce((sum, [, claim]) => sum + rateOf(claim), 0);
    const level = left / rates;
    const full = open.filter(([, claim]) => claim.demand <= level * rateOf(claim));
    if (full.length === 0) {
      for (const [index, claim] of open) shares[index] = level * rateOf(claim);
      return 0;
    }
    for (const [index, claim] of full) shares[index] = claim.demand;
    if (left !== Number.POSITIVE_INFINITY) left -= full.reduce((sum, [, claim]) => sum + claim.demand, 0);
    open = open.filter((entry) => !full.includes(entry));
  }
  return left;
}

/**
 * What makes an allocation max-min fair, whoever made it: nothing beyond demand or capacity, nothing left over while
 * somebody wants more, and whoever goes short has as much per weight as anybody. Null when it is; else what is wrong.
 */
export function unfairness(shares: readonly number[], claims: readonly Claim[], capacity: number): string | null {
  const slack = 1 + 1e-9;
  // Below it figures have too few bits left to be compared.
  const least = 1e-300;
  const share = (index: number): number => shares[index] ?? Number.NaN;
  const total = shares.reduce((sum, each) => sum + each, 0);
  if (!(total <= capacity * slack)) return `${total} handed out of ${capacity}`;
  for (const [index, { demand, weight }] of claims.entries()) {
    if (!(share(index) <= demand)) return `${index} has more than it asked for`;
    if (share(index) * slack + least >= demand) continue;
    if (total * slack + least < capacity) return `${index} wants more and ${capacity - total} is left over`;
    for (const [other, rival] of claims.entries()) {
      if (weight === 0 && rival.weight === 0 && share(index) * slack + least < share(other))
        return `${index} behind ${other}`;
      if (weight === 0 || rival.weight === 0) {
        if (weight > 0 && share(other) > capacity * 1e-9) return `${other} has no weight and is before ${index}`;
        continue;
      }
      if ((share(index) / weight) * slack + least < share(other) / rival.weight) return `${index} behind ${other}`;
    }
  }
  return null;
}
