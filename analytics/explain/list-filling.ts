import type { Window } from '../window/window-result.ts';
import type { ExplainedFilling, ListedFilling } from './explanation.ts';
import { fillGroups } from './fill-groups.ts';
import type { Filling, FillStep } from './fill-steps.ts';

/** Steps that a filling lists: the first half and the last half of them. */
export const MAX_STEPS = 1_000;
const MAX_GROUPS = 100;
const MAX_STEPS_INSIDE = 20;

/** The water filling of a window as a whole, or why there is none. */
export function explainFilling(
  window: Window,
  groupWeights: ReadonlyMap<string, number>,
): { readonly filling: ExplainedFilling | null; readonly filling_reason?: string } {
  const { capacity } = window;
  if (capacity.cost === null) return { filling: null, filling_reason: capacity.reason ?? 'no_capacity' };
  if (window.tenants.some((tenant) => tenant.fair_share_cost === null)) {
    return { filling: null, filling_reason: window.verdict_reasons[0] ?? 'no_demand' };
  }
  const tenants = window.tenants.map(({ tenant, group, weight, demand_cost: demandCost }) => {
    return { tenant, group, weight, demandCost: demandCost ?? 0 };
  });
  const { groups, ...outer } = fillGroups(tenants, capacity.cost, groupWeights);
  return {
    filling: {
      ...listFilling(outer, capacity.cost, MAX_STEPS),
      groups: groups.slice(0, MAX_GROUPS).map(({ group, weight, demandCost, shareCost, inside }) => ({
        group,
        weight,
        demand_cost: demandCost,
        share_cost: shareCost,
        inside: listFilling(inside, shareCost, MAX_STEPS_INSIDE),
      })),
      groups_left_out: Math.max(0, groups.length - MAX_GROUPS),
    },
  };
}

function listFilling(filling: Filling, capacityCost: number, maxSteps: number): ListedFilling {
  const { steps } = filling;
  const half = maxSteps / 2;
  const listed = steps.length <= maxSteps ? steps : [...steps.slice(0, half), ...steps.slice(-half)];
  const met = steps.filter((step) => step.level !== null).length;
  return {
    capacity_cost: capacityCost,
    level: filling.level,
    capacity_left_cost: filling.capacityLeftCost,
    met,
    not_met: steps.length - met,
    steps: listed.map(stepOf),
    steps_left_out: steps.length - listed.length,
  };
}

function stepOf(step: FillStep) {
  return {
    kind: step.kind,
    name: step.name,
    weight: step.weight,
    demand_cost: step.demandCost,
    level: step.level,
    share_cost: step.shareCost,
    capacity_left_cost: step.capacityLeftCost,
    from_left_over: step.fromLeftOver,
  };
}
