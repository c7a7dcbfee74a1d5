/** A part of all deficits that is no more than rounding. */
const ROUNDING = 1e-9;

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
  /** Tenants served beyond their ideal service, for a part of the window, by no more than the tolerance. */
  readonly within: readonly Excess[];
  /** Short tenants that were served ahead of their due in this window: a source for the deficits of others, never of their own. */
  readonly ahead: readonly Excess[];
  /** Work that was late when the window began: who comes then waits behind it, whoever gets what is due. */
  readonly queueCost: number;
}

/** What the deficits of a window are put down to. */
export interface Division {
  /** Part of each victim's `overCost` that each tenant of `over` accounts for. */
  readonly overRatios: readonly number[];
  /** Part of each victim's `withinCost` that each tenant of `within` accounts for. */
  readonly withinRatios: readonly number[];
  /** Part of each deficit but its own that each tenant of `ahead` accounts for. */
  readonly aheadRatios: readonly number[];
  /** In the order given. */
  readonly victims: readonly DividedDeficit[];
}

export interface DividedDeficit {
  /** What the tenants of `over` account for together. */
  readonly overCost: number;
  readonly idleCost: number;
  /** Owed from earlier windows. */
  readonly carriedCost: number;
  /** Waited for behind what earlier windows left. */
  readonly queueCost: number;
  readonly lostCost: number;
  /** What all tenants of `within` account for together. */
  readonly withinCost: number;
  /** What nothing explains. */
  readonly restCost: number;
}

/**
 * Divides every deficit among those who caused it. In turn, each up to what it has: tenants served beyond their ideal
 * service, idle slots, what is owed from earlier windows, lost capacity, tenants that took less than the tolerance and
 * short ones that were ahead for a while, the queue that earlier windows left; the rest is nobody's. A source that does
 * not cover all deficits is divided among the victims in proportion to what each still misses, one that exceeds them is
 * used in that proportion: what a tenant accounts for, over all victims, never exceeds its excess, and equals have equal
 * parts. What is put down to a short tenant is set aside first, so that the others' excess is left for its own deficit.
 */
export function divideDeficits(victims: readonly Victim[], sources: Sources): Division {
  const deficits = victims.map((victim) => victim.deficitCost);
  const missing = sum(divideAmong(victims, deficits, sources).left, (each) => each);
  const { ratios: aheadRatios, left: deficitsLeft } = setAside(victims, sources, missing);
  const { over, idle, carried, lost, left } = divideAmong(victims, deficitsLeft, sources);
  const within = take(left, costOf(sources.within));
  const queue = take(left, sources.queueCost);
  return {
    overRatios: ratiosOf(sources.over),
    withinRatios: ratiosOf(sources.within),
    aheadRatios,
    victims: victims.map((_, place) => ({
      overCost: over[place] ?? 0,
      idleCost: idle[place] ?? 0,
      carriedCost: carried[place] ?? 0,
      queueCost: queue[place] ?? 0,
      lostCost: lost[place] ?? 0,
      withinCost: within[place] ?? 0,
      restCost: left[place] ?? 0,
    })),
  };
}

/** The sources that come before all others, in turn, and what they leave. */
function divideAmong(victims: readonly Victim[], deficits: readonly number[], sources: Sources) {
  const left = [...deficits];
  const over = take(left, costOf(sources.over));
  const idle = take(left, sources.idleCost);
  const carried = victims.map((victim, place) => {
    const cost = Math.min(left[place] ?? 0, Math.max(0, victim.carriedCost));
    left[place] = (left[place] ?? 0) - cost;
    return cost;
  });
  const lost = take(left, sources.lostCost);
  return { over, idle, carried, lost, left };
}

/**
 * What short tenants account for of the deficits of others, in proportion to these, and what that leaves of each: up to
 * what is missing, of which tenants of `within` have their part.
 */
function setAside(victims: readonly Victim[], { ahead, within }: Sources, missing: number) {
  const deficits = new Map(victims.map((victim) => [victim.tenant, victim.deficitCost]));
  const total = sum(victims, (victim) => victim.deficitCost);
  const available = costOf(ahead) + costOf(within);
  const used = available > 0 ? Math.min(1, missing / available) : 0;
  const raw = ahead.map(({ tenant, cost }) => {
    const others = total - (deficits.get(tenant) ?? 0);
    return others > total * ROUNDING ? Math.min(1, (cost * used) / others) : 0;
  });
  const own = new Map(ahead.map(({ tenant }, place) => [tenant, raw[place] ?? 0]));
  const all = sum(raw, (ratio) => ratio);
  const taken = victims.map(({ tenant }) => Math.max(0, all - (own.get(tenant) ?? 0)));
  const scale =
    1 /
    Math.max(
      1,
      taken.reduce((most, ratio) => Math.max(most, ratio), 0),
    );
  return {
    ratios: raw.map((ratio) => ratio * scale),
    left: victims.map(({ deficitCost }, place) => deficitCost * Math.max(0, 1 - (taken[place] ?? 0) * scale)),
  };
}

function costOf(excesses: readonly Excess[]): number {
  return sum(excesses, (excess) => excess.cost);
}

function ratiosOf(excesses: readonly Excess[]): number[] {
  const total = costOf(excesses);
  return excesses.map((excess) => (total > 0 ? excess.cost / total : 0));
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
