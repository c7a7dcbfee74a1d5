/** A tenant that is short. */
export interface Victim {
  readonly tenant: string;
  /** Its lag: work that a fair system would have done by then; > 0. */
  readonly deficitCost: number;
  /** What of it may be owed from earlier windows: its lag at the window's start; ≥ 0. */
  readonly carriedCost: number;
}

/** A tenant that may have displaced others, and by how much at most; ≥ 0. */
export interface Excess {
  readonly tenant: string;
  readonly cost: number;
}

export interface Sources {
  /** Tenants served beyond their ideal service by more than the tolerance. */
  readonly over: readonly Excess[];
  /** Work that slots could have done that stood idle while requests waited. */
  readonly idleCost: number;
  /** Ideal service of all tenants less what was served, beyond the idle slots. */
  readonly lostCost: number;
  /**
   * Tenants that took less than would show in the window as a whole: served beyond their ideal within the tolerance, or
   * served, for a part of the window, what they asked for beyond their share.
   */
  readonly within: readonly Excess[];
  /** Work that was late when the window began: who comes then waits behind it, whoever gets what is due. */
  readonly queueCost: number;
}

/** What the deficits of a window are put down to. */
export interface Division {
  /** Part of each deficit that each tenant of `over` accounts for. */
  readonly overRatios: readonly number[];
  /** Part of each victim's `withinCost` that each tenant of `within` accounts for. */
  readonly withinRatios: readonly number[];
  /** In the order given. */
  readonly victims: readonly DividedDeficit[];
}

export interface DividedDeficit {
  readonly idleCost: number;
  /** Owed from earlier windows. */
  readonly carriedCost: number;
  /** Waited for behind what earlier windows left. */
  readonly queueCost: number;
  readonly lostCost: number;
  /** What all tenants of `within` account for together. */
  readonly withinCost: number;
}

/**
 * Divides every deficit among those who caused it. In turn, each up to what it has: tenants served beyond their ideal
 * service, idle slots, what is owed from earlier windows, lost capacity, tenants that took less than the tolerance, the
 * queue that earlier windows left; what nothing of these explains is lost capacity too. A source that does not cover all deficits is divided among the victims
 * in proportion to what each still misses, one that exceeds them is used in that proportion: what a tenant accounts for,
 * over all victims, never exceeds its excess, and equals have equal parts.
 */
export function divideDeficits(victims: readonly Victim[], sources: Sources): Division {
  const deficit = sum(victims, (victim) => victim.deficitCost);
  const overCost = sum(sources.over, (excess) => excess.cost);
  const overScale = Math.max(deficit, overCost);
  const overRatios = sources.over.map((excess) => (overScale > 0 ? excess.cost / overScale : 0));
  const explained = overScale > 0 ? overCost / overScale : 0;
  const left = victims.map((victim) => victim.deficitCost * Math.max(0, 1 - explained));

  const idle = take(left, sources.idleCost);
  const carried = victims.map((victim, place) => {
    const cost = Math.min(left[place] ?? 0, Math.max(0, victim.carriedCost));
    left[place] = (left[place] ?? 0) - cost;
    return cost;
  });
  const lost = take(left, sources.lostCost);
  const withinCost = sum(sources.within, (excess) => excess.cost);
  const within = take(left, withinCost);
  const queue = take(left, sources.queueCost);
  return {
    overRatios,
    withinRatios: sources.within.map((excess) => (withinCost > 0 ? excess.cost / withinCost : 0)),
    victims: victims.map((_, place) => ({
      idleCost: idle[place] ?? 0,
      carriedCost: carried[place] ?? 0,
      queueCost: queue[place] ?? 0,
      lostCost: (lost[place] ?? 0) + (left[place] ?? 0),
      withinCost: within[place] ?? 0,
    })),
  };
}

/** Takes up to `cost` of what is left, from each in proportion to what it has left. */
function take(left: number[], cost: number): number[] {
  const total = sum(left, (each) => each);
  const ratio = total > 0 ? Math.min(1, Math.max(0, cost) / total) : 0;
  return left.map((each, place) => {
    left[place] = each - each * ratio;
    return each * ratio;
  });
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
