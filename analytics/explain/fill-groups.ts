import { type Filling, type FillStep, fillSteps, type Party } from './fill-steps.ts';

/** A tenant as the filling of a window sees it. */
export interface FillingTenant {
  readonly tenant: string;
  /** Null: it stands for itself. */
  readonly group: string | null;
  readonly weight: number;
  readonly demandCost: number;
}

export interface GroupFilling {
  readonly group: string;
  readonly weight: number;
  readonly demandCost: number;
  /** What the filling over groups gave it: the capacity of the filling inside. */
  readonly shareCost: number;
  readonly inside: Filling;
}

export interface WindowFilling extends Filling {
  /** Groups with demand, in the order of their names; empty where nobody stands in a group. */
  readonly groups: readonly GroupFilling[];
}

/**
 * The filling of a window: over groups and lone tenants first, then inside each group over its members. A group whose
 * weight is not known counts as 1. The shares are those of `groupedMaxMinFairShare`.
 */
export function fillGroups(
  tenants: readonly FillingTenant[],
  capacityCost: number,
  groupWeights: ReadonlyMap<string, number>,
): WindowFilling {
  const members = new Map<string, FillingTenant[]>();
  const parties: Party[] = [];
  for (const tenant of tenants) {
    if (tenant.group === null) {
      parties.push(tenantParty(tenant));
      continue;
    }
    const known = members.get(tenant.group);
    if (known === undefined) members.set(tenant.group, [tenant]);
    else known.push(tenant);
  }
  const names = [...members.keys()].sort((a, b) => (a < b ? -1 : 1));
  for (const group of names) {
    const demandCost = (members.get(group) ?? []).reduce((total, member) => total + member.demandCost, 0);
    parties.push({ kind: 'group', name: group, demandCost, weight: groupWeights.get(group) ?? 1 });
  }
  const outer = fillSteps(parties, capacityCost);
  const stepOf = new Map<string, FillStep>();
  for (const step of outer.steps) if (step.kind === 'group') stepOf.set(step.name, step);
  const groups = names.flatMap((group): GroupFilling[] => {
    const step = stepOf.get(group);
    if (step === undefined) return [];
    const { weight, demandCost, shareCost } = step;
    const inside = fillSteps((members.get(group) ?? []).map(tenantParty), shareCost);
    return [{ group, weight, demandCost, shareCost, inside }];
  });
  return { ...outer, groups };
}

function tenantParty({ tenant, weight, demandCost }: FillingTenant): Party {
  return { kind: 'tenant', name: tenant, demandCost, weight };
}
