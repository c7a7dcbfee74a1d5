import { assertInvariant } from '../kernel/assert.ts';

/** Weights by name, ≥ 0 and finite; who is not named has 1. */
export type FlowWeights = ReadonlyMap<string, number> | Readonly<Record<string, number>>;

/** The weight of a flow. Throws EVS_INVARIANT for one that is not ≥ 0 and finite. */
export function flowWeight(weights: FlowWeights | undefined, flow: string): number {
  const weight = given(weights, flow) ?? 1;
  assertInvariant(
    weight >= 0 && Number.isFinite(weight),
    `the weight of ${JSON.stringify(flow)} must be ≥ 0 and finite, got ${weight}`,
  );
  return weight;
}

function given(weights: FlowWeights | undefined, flow: string): number | undefined {
  if (weights === undefined) return undefined;
  if (isMap(weights)) return weights.get(flow);
  // A tenant may be called `constructor`.
  return Object.hasOwn(weights, flow) ? weights[flow] : undefined;
}

function isMap(weights: FlowWeights): weights is ReadonlyMap<string, number> {
  return weights instanceof Map;
}
