/** Who takes part in a filling: a tenant, or a group that stands as one. */
export interface Party {
  readonly kind: 'tenant' | 'group';
  readonly name: string;
  /** ≥ 0, in the pool's cost unit. */
  readonly demandCost: number;
  /** ≥ 0; of weight 0 it shares equally with its like in what the others leave over. */
  readonly weight: number;
}

/** What became of one party, in the order in which the rising level reached their demands. */
export interface FillStep {
  readonly kind: Party['kind'];
  readonly name: string;
  readonly weight: number;
  readonly demandCost: number;
  /** Allocation per unit of weight at which its demand was met; null where the filling stopped before. */
  readonly level: number | null;
  readonly shareCost: number;
  /** Capacity that nobody has for good yet, after this party. */
  readonly capacityLeftCost: number;
  /** It took part only in what all others left over. */
  readonly fromLeftOver: boolean;
}

export interface Filling {
  readonly steps: readonly FillStep[];
  /** Level at which the filling stopped; null when every demand of a positive weight was met. */
  readonly level: number | null;
  readonly capacityLeftCost: number;
}

/** Relative rounding of a sum of many demands. */
const SLACK = 1e-12;

/**
 * Weighted max-min filling told step by step: parties in the order of demand ÷ weight (ties by name), each met while the
 * capacity lasts, the rest level. Parties without demand take no part. O(n log n).
 *
 * The shares are those of `maxMinFairShare`. Source: docs/definitions.md, "Shares and figures".
 */
export function fillSteps(parties: readonly Party[], capacityCost: number): Filling {
  const present = parties.filter((party) => party.demandCost > 0);
  const weighted = fillByLevel(
    present.filter((party) => party.weight > 0),
    capacityCost,
    { weightOf: (party) => party.weight, fromLeftOver: false },
  );
  const weightless = present.filter((party) => party.weight === 0);
  if (weightless.length === 0) return weighted;
  const left = weighted.level === null && weighted.capacityLeftCost > capacityCost * SLACK;
  const rest = fillByLevel(weightless, left ? weighted.capacityLeftCost : 0, {
    weightOf: () => 1,
    fromLeftOver: true,
  });
  return {
    steps: [...weighted.steps, ...rest.steps],
    level: weighted.level,
    capacityLeftCost: left ? rest.capacityLeftCost : weighted.capacityLeftCost,
  };
}

interface Terms {
  readonly weightOf: (party: Party) => number;
  readonly fromLeftOver: boolean;
}

function fillByLevel(parties: readonly Party[], capacityCost: number, terms: Terms): Filling {
  const ordered = parties
    .map((party) => ({ party, level: party.demandCost / terms.weightOf(party) }))
    .sort((a, b) => a.level - b.level || (a.party.name < b.party.name ? -1 : 1));
  const weightFrom = new Array<number>(ordered.length + 1).fill(0);
  for (let place = ordered.length - 1; place >= 0; place--) {
    const entry = ordered[place];
    weightFrom[place] = (weightFrom[place + 1] ?? 0) + (entry === undefined ? 0 : terms.weightOf(entry.party));
  }
  const steps: FillStep[] = [];
  let left = capacityCost;
  let stopped: number | null = null;
  for (const [place, { party, level }] of ordered.entries()) {
    const weightLeft = weightFrom[place] ?? 0;
    if (stopped === null && level * weightLeft > left * (1 + SLACK) && !isLast(party.demandCost, place, left)) {
      stopped = Math.max(0, left) / weightLeft;
    }
    const shareCost = stopped === null ? party.demandCost : terms.weightOf(party) * stopped;
    left = Math.max(0, left - shareCost);
    steps.push({
      kind: party.kind,
      name: party.name,
      weight: party.weight,
      demandCost: party.demandCost,
      level: stopped === null ? level : null,
      shareCost,
      capacityLeftCost: left,
      fromLeftOver: terms.fromLeftOver,
    });
  }
  return { steps, level: stopped, capacityLeftCost: left };

  /** `demand ÷ weight × weight` may round over a demand that is exactly what is left. */
  function isLast(demandCost: number, place: number, leftCost: number): boolean {
    return place === ordered.length - 1 && demandCost <= leftCost;
  }
}
