import type { DecisionEvent } from '../../ingest/event/decision-event.ts';

/**
 * The definitions of fairness computed literally and slowly, one request and one window at a time, from the page that
 * defines them and from nothing of the product: the oracle that the SQL path is tested against.
 */
export interface LiteralOptions {
  readonly windowMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly watermarkMs: number;
  readonly maxRequestAgeMs: number;
  readonly costUnit: 'requests' | 'service_ms' | 'tokens';
  readonly slots: number | null;
  readonly capacityPerS: number | null;
  readonly weights: ReadonlyMap<string, number>;
  /** Slots from a moment on, in time order, where they change; `slots` holds before. */
  readonly slotChanges?: readonly { readonly atMs: number; readonly slots: number }[];
  /** In time order; the first holds from the beginning. They stand in for `weights`. */
  readonly policies?: readonly LiteralPolicy[];
}

export interface LiteralPolicy {
  readonly atMs: number;
  readonly defaultWeight: number;
  readonly weights: ReadonlyMap<string, number>;
  readonly groupOf: ReadonlyMap<string, string>;
  readonly groupWeights: ReadonlyMap<string, number>;
}

export interface LiteralTenant {
  readonly demand: number;
  readonly backlog: number;
  readonly share: number | null;
  readonly served: number;
  readonly lag: number;
  readonly inShare: boolean | null;
  readonly requests: number;
  readonly retries: number;
  readonly quotaRefusedCost: number;
  readonly arrivedCost: number;
  readonly arrivedCostRaw: number;
  readonly verdict: string;
  /** In steps of a second: `Σ f`, the largest lag, the mean lag in time, requests that arrived within the share, and `q` at the end. */
  readonly ideal: number;
  readonly maxLag: number;
  readonly excessWaitMs: number | null;
  readonly fluidInShareRequests: number;
  readonly fluidBacklog: number;
  /** By processor sharing: what was due, what it was short of, and the most by which it got ahead. */
  readonly due: number;
  readonly shortfall: number;
  readonly excess: number;
}

export interface LiteralWindow {
  readonly startMs: number;
  readonly capacity: number | null;
  readonly jain: number | null;
  readonly minimum: { readonly value: number; readonly tenant: string } | null;
  readonly inShareWaits: readonly number[];
  readonly waiting: number;
  readonly idleWhileWaiting: number | null;
  readonly verdict: string;
  readonly fluidJain: number | null;
  readonly fluidMinimum: { readonly value: number; readonly tenant: string } | null;
  readonly fluidInShareRequests: number;
  readonly fluidInShareWaits: readonly number[];
  readonly tenants: ReadonlyMap<string, LiteralTenant>;
}

interface Request {
  readonly event: DecisionEvent;
  readonly kind: 'served' | 'in_service' | 'waiting' | 'refused' | 'quota' | 'lost_waiting' | 'lost_in_service';
  readonly slots: number;
  cost: number;
  serviceMs: number;
  counted: boolean;
}

/** Length of `[start, start + length) ∩ [from, to)`, without adding fractions of a millisecond to epoch times. */
function overlap(start: number, length: number, from: number, to: number): number {
  const until = (end: number): number => Math.min(length, Math.max(0, end - start));
  return until(to) - until(from);
}

/** `events` must hold one whole event per request. Windows without any request that touches them are left out. */
export function literalWindows(events: readonly DecisionEvent[], options: LiteralOptions): LiteralWindow[] {
  const requests = events.map((event) => classify(event, options));
  impute(requests, options);
  giveServiceTimes(requests, options);
  foldRetries(requests, options);
  const windows: LiteralWindow[] = [];
  let idealBacklog = new Map<string, number>();
  let earlierRate: number | null = null;
  const fluid: FluidState = { backlog: new Map(), gpsBacklog: new Map(), rate: null };
  const saturated: { startMs: number; served: number }[] = [];
  for (let startMs = options.fromMs; startMs < options.toMs; startMs += options.windowMs) {
    const endMs = startMs + options.windowMs;
    const touching = requests.filter((request) => touches(request, startMs, endMs));
    if (touching.length === 0) {
      idealBacklog = new Map();
      fluid.backlog = new Map();
      fluid.gpsBacklog = new Map();
      continue;
    }
    const busy = touching.reduce((sum, r) => sum + (hasService(r) ? r.slots * real(r, startMs, endMs) : 0), 0);
    const servedTotal = touching.reduce((sum, r) => sum + served(r, startMs, endMs), 0);
    if (waitingAllTheTime(touching, startMs, endMs)) saturated.push({ startMs, served: servedTotal });
    const recent = saturated.filter((entry) => entry.startMs > startMs - 60 * options.windowMs);
    const rate: number | null = busy > 0 ? servedTotal / busy : earlierRate;
    earlierRate = rate;
    let capacity: number | null = null;
    if (options.capacityPerS !== null) capacity = (options.capacityPerS * options.windowMs) / 1000;
    else if (options.slots !== null) {
      capacity = rate === null ? null : Math.max(slotTime(options, startMs, endMs), busy) * rate;
    } else if (recent.some((entry) => entry.served > 0)) capacity = Math.max(...recent.map((entry) => entry.served));

    const names = [...new Set(touching.map((request) => request.event.tenant))].sort((a, b) => (a < b ? -1 : 1));
    const of = (tenant: string): Request[] => touching.filter((request) => request.event.tenant === tenant);
    const demand = new Map<string, number>();
    const backlog = new Map<string, number>();
    const admitted = new Map<string, number>();
    for (const tenant of names) {
      const mine = of(tenant);
      const oA = mine.reduce((sum, r) => sum + (isAdmitted(r) ? offered(r, startMs, endMs) : 0), 0);
      const oR = mine.reduce((sum, r) => sum + (isRefused(r) ? offered(r, startMs, endMs) : 0), 0);
      const b = Math.min(idealBacklog.get(tenant) ?? 0, late(mine, startMs));
      admitted.set(tenant, oA);
      backlog.set(tenant, b);
      demand.set(tenant, oA + oR + b);
    }
    const shares = groupFill(demand, options, startMs, capacity ?? Number.POSITIVE_INFINITY);
    const inside = fluidWindow(touching, { startMs, endMs, capacity }, options, fluid);
    const largest = Math.max(
      0,
      ...touching.filter((r) => hasService(r) && real(r, startMs, endMs) > 0).map((r) => r.cost),
    );
    const slots = options.slots === null ? null : slotTime(options, startMs, endMs) / options.windowMs;
    const places = slots ?? Math.max(1, Math.ceil(busy / options.windowMs - 1e-9));
    const servedOf = (tenant: string): number => of(tenant).reduce((sum, r) => sum + served(r, startMs, endMs), 0);
    const wanting = names.filter((tenant) => (demand.get(tenant) ?? 0) > 0 || servedOf(tenant) > 0);
    const weights = wanting.reduce((sum, tenant) => sum + weightAt(options, tenant, startMs), 0);
    const toleranceOf = (tenant: string, due: number): number => {
      const relative = weights > 0 ? (weightAt(options, tenant, startMs) * wanting.length) / weights : 1;
      return Math.max(0.03 * due, (places + 1 + 2 * relative) * largest);
    };
    const isOver = (tenant: string): boolean => {
      const figures = inside.gps.get(tenant);
      // Every slot may be in the middle of a request when the window begins, and when it ends.
      const slack = 1 + 1e-9;
      const both = (due: number): number => Math.max(0.03 * due, toleranceOf(tenant, 0) + (places + 1) * largest);
      if (figures === undefined) return servedOf(tenant) > both(0) * slack;
      const { served: due, lagBefore, excess } = figures;
      const worst = Math.max(0.03 * due, 2 * toleranceOf(tenant, 0));
      return servedOf(tenant) - due - lagBefore > both(due) * slack || excess > worst * slack;
    };
    const anyOver = capacity !== null && names.some(isOver);
    const tenants = new Map<string, LiteralTenant>();
    const nextBacklog = new Map<string, number>();
    const normalized: { tenant: string; value: number }[] = [];
    for (const tenant of names) {
      const mine = of(tenant);
      const arrived = mine.filter((r) => inWindow(r, startMs, endMs));
      const d = demand.get(tenant) ?? 0;
      const f = shares.get(tenant) ?? 0;
      const left = (admitted.get(tenant) ?? 0) + (backlog.get(tenant) ?? 0) - f;
      const q = left > 1e-9 * d ? left : 0;
      nextBacklog.set(tenant, q);
      const s = mine.reduce((sum, r) => sum + served(r, startMs, endMs), 0);
      const v = late(mine, endMs);
      const lag = Math.max(0, v - q);
      if (f > 0) normalized.push({ tenant, value: s / f });
      const quota = arrived.reduce((sum, r) => sum + (r.kind === 'quota' ? r.cost : 0), 0);
      const ideal = inside.ideal.get(tenant) ?? 0;
      const figures = inside.gps.get(tenant) ?? { served: 0, refused: 0, maxLag: 0 };
      const due = figures.served;
      const shortfall = figures.maxLag + (anyOver ? figures.refused : 0);
      const tolerance = toleranceOf(tenant, due);
      let verdict = 'fair';
      if (capacity === null) verdict = 'unknown';
      else if (shortfall > tolerance * (1 + 1e-9)) verdict = 'short';
      else if (isOver(tenant)) verdict = 'over';
      else if (quota > 0) verdict = 'capped';
      else if (d === 0 && v === 0 && late(mine, startMs) === 0) verdict = 'idle';
      tenants.set(tenant, {
        demand: d,
        backlog: backlog.get(tenant) ?? 0,
        share: capacity === null ? null : f,
        served: s,
        lag,
        inShare: capacity === null ? null : d <= f * (1 + 1e-9),
        requests: arrived.filter((r) => r.counted).length,
        retries: arrived.filter((r) => !r.counted).length,
        quotaRefusedCost: quota,
        arrivedCost: arrived.reduce((sum, r) => sum + (r.kind !== 'quota' && r.counted ? r.cost : 0), 0),
        arrivedCostRaw: arrived.reduce((sum, r) => sum + (r.kind !== 'quota' ? r.cost : 0), 0),
        verdict,
        ideal,
        maxLag: inside.maxLag.get(tenant) ?? 0,
        excessWaitMs: ideal > 0 ? (inside.lagMs.get(tenant) ?? 0) / ideal : null,
        fluidInShareRequests: arrived.filter(inside.isInShare).length,
        fluidBacklog: fluid.backlog.get(tenant) ?? 0,
        due,
        shortfall,
        excess: inside.gps.get(tenant)?.excess ?? 0,
      });
    }
    idealBacklog = nextBacklog;
    const fluidShares = names.flatMap((tenant) => {
      const ideal = inside.ideal.get(tenant) ?? 0;
      return ideal > 0 ? [{ tenant, value: (tenants.get(tenant)?.served ?? 0) / ideal }] : [];
    });
    const minimum = least(normalized);
    const known = capacity !== null;
    const short = [...tenants.values()].some((tenant) => tenant.verdict === 'short');
    const totalDemand = [...demand.values()].reduce((sum, d) => sum + d, 0);
    windows.push({
      startMs,
      capacity,
      jain: known ? jain(normalized) : null,
      minimum: known ? minimum : null,
      inShareWaits: known
        ? touching
            .filter((r) => inWindow(r, startMs, endMs) && tenants.get(r.event.tenant)?.inShare === true)
            .flatMap((r) => waitOf(r, options) ?? [])
            .sort((a, b) => a - b)
        : [],
      waiting: touching.filter((r) => waitsAt(r, endMs)).length,
      idleWhileWaiting: idleWhileWaiting(touching, startMs, endMs, slots),
      verdict: !known
        ? 'unknown'
        : short
          ? 'unfair'
          : totalDemand > (capacity ?? 0) * (1 + 1e-9) || inside.contended
            ? 'fair'
            : 'uncontended',
      fluidJain: known ? jain(fluidShares) : null,
      fluidMinimum: known ? least(fluidShares) : null,
      fluidInShareRequests: known
        ? touching.filter((r) => inWindow(r, startMs, endMs) && inside.isInShare(r)).length
        : 0,
      fluidInShareWaits: known
        ? touching
            .filter((r) => inWindow(r, startMs, endMs) && inside.isInShare(r))
            .flatMap((r) => waitOf(r, options) ?? [])
            .sort((a, b) => a - b)
        : [],
      tenants,
    });
  }
  return windows;
}

interface LiteralGps {
  served: number;
  refused: number;
  readonly lagBefore: number;
  maxLag: number;
  /** Served so far less what was due so far; the least of it so far, or 0; and by how much it rose above that. */
  ahead: number;
  least: number;
  excess: number;
}

interface FluidState {
  backlog: Map<string, number>;
  /** By processor sharing that never looks at what was really late. */
  gpsBacklog: Map<string, number>;
  rate: number | null;
}

const stepOf = (windowMs: number): number => (windowMs % 1000 === 0 ? 1000 : windowMs);

/** The same recursion, a second at a time, over the seconds of one window. */
function fluidWindow(
  requests: readonly Request[],
  window: { readonly startMs: number; readonly endMs: number; readonly capacity: number | null },
  options: LiteralOptions,
  state: FluidState,
) {
  const stepMs = stepOf(options.windowMs);
  const ideal = new Map<string, number>();
  const maxLag = new Map<string, number>();
  const lagMs = new Map<string, number>();
  const beyond = new Set<string>();
  const gps = new Map<string, LiteralGps>();
  const key = (tenant: string, atMs: number): string => JSON.stringify([tenant, Math.floor(atMs / stepMs)]);
  let contended = false;
  // Who got ahead and has left would still be served by a fair system.
  const known = new Set([...requests.map((r) => r.event.tenant), ...state.gpsBacklog.keys()]);
  const tenants = [...known].sort((a, b) => (a < b ? -1 : 1));
  const requestsOf = new Map<string, Request[]>();
  for (const tenant of tenants) requestsOf.set(tenant, []);
  for (const request of requests) requestsOf.get(request.event.tenant)?.push(request);
  for (let startMs = window.startMs; startMs < window.endMs; startMs += stepMs) {
    const endMs = startMs + stepMs;
    const busy = requests.reduce((sum, r) => sum + (hasService(r) ? r.slots * real(r, startMs, endMs) : 0), 0);
    const total = requests.reduce((sum, r) => sum + served(r, startMs, endMs), 0);
    if (busy > 0) state.rate = total / busy;
    let capacity = window.capacity === null ? null : (window.capacity * stepMs) / options.windowMs;
    if (options.capacityPerS !== null) capacity = (options.capacityPerS * stepMs) / 1000;
    else if (options.slots !== null && state.rate !== null) {
      capacity = Math.max(slotTime(options, startMs, endMs), busy) * state.rate;
    }
    const demand = new Map<string, number>();
    const kept = new Map<string, number>();
    const gpsDemand = new Map<string, number>();
    const gpsKept = new Map<string, number>();
    for (const tenant of tenants) {
      const mine = requestsOf.get(tenant) ?? [];
      const v = late(mine, startMs);
      const before = Math.max(state.backlog.get(tenant) ?? 0, state.gpsBacklog.get(tenant) ?? 0);
      if (startMs === window.startMs) {
        const ahead = Math.max(0, (state.gpsBacklog.get(tenant) ?? 0) - v);
        const lagBefore = Math.max(0, v - before);
        gps.set(tenant, {
          served: 0,
          refused: 0,
          lagBefore,
          maxLag: 0,
          ahead: ahead - lagBefore,
          least: ahead,
          excess: 0,
        });
      }
      const oA = mine.reduce((sum, r) => sum + (isAdmitted(r) ? offered(r, startMs, endMs) : 0), 0);
      const oR = mine.reduce((sum, r) => sum + (isRefused(r) ? offered(r, startMs, endMs) : 0), 0);
      const b = Math.min(state.backlog.get(tenant) ?? 0, late(mine, startMs));
      demand.set(tenant, oA + oR + b);
      kept.set(tenant, oA + b);
      const uncut = state.gpsBacklog.get(tenant) ?? 0;
      const owed = Math.abs(uncut - b) <= 1e-9 * (uncut + oA) ? b : uncut;
      gpsDemand.set(tenant, oA + oR + owed);
      gpsKept.set(tenant, oA + owed);
    }
    const most = capacity ?? Number.POSITIVE_INFINITY;
    const exceeds = (of: ReadonlyMap<string, number>): boolean =>
      [...of.values()].reduce((sum, d) => sum + d, 0) > most * (1 + 1e-9);
    contended ||= exceeds(demand);
    const shares = exceeds(demand) ? groupFill(demand, options, startMs, most) : demand;
    const gpsShares = exceeds(gpsDemand) ? groupFill(gpsDemand, options, startMs, most) : gpsDemand;
    state.backlog = new Map();
    state.gpsBacklog = new Map();
    for (const tenant of tenants) {
      const f = shares.get(tenant) ?? 0;
      const left = (kept.get(tenant) ?? 0) - f;
      const q = left > 1e-9 * (demand.get(tenant) ?? 0) ? left : 0;
      if (q > 0) {
        state.backlog.set(tenant, q);
        beyond.add(key(tenant, startMs));
      }
      const lag = Math.max(0, late(requestsOf.get(tenant) ?? [], endMs) - q);
      const figures = gps.get(tenant);
      const due = gpsShares.get(tenant) ?? 0;
      const gpsLeft = (gpsKept.get(tenant) ?? 0) - due;
      const gpsQ = gpsLeft > 1e-9 * (gpsDemand.get(tenant) ?? 0) ? gpsLeft : 0;
      if (gpsQ > 0) state.gpsBacklog.set(tenant, gpsQ);
      if (figures !== undefined) {
        const grace = Math.min(1, 1000 / stepMs) * due;
        figures.served += due;
        figures.refused += Math.max(0, due - (gpsKept.get(tenant) ?? 0));
        figures.ahead += (requestsOf.get(tenant) ?? []).reduce((sum, r) => sum + served(r, startMs, endMs), 0) - due;
        figures.least = Math.min(figures.least, Math.max(0, figures.ahead));
        figures.excess = Math.max(figures.excess, figures.ahead - figures.least);
        figures.maxLag = Math.max(
          figures.maxLag,
          late(requestsOf.get(tenant) ?? [], endMs) - Math.max(q, gpsQ) - grace,
        );
      }
      ideal.set(tenant, (ideal.get(tenant) ?? 0) + f);
      maxLag.set(tenant, Math.max(maxLag.get(tenant) ?? 0, lag));
      lagMs.set(tenant, (lagMs.get(tenant) ?? 0) + lag * stepMs);
    }
  }
  const isInShare = (r: Request): boolean => !beyond.has(key(r.event.tenant, r.event.arrivedAtMs));
  return { ideal, maxLag, lagMs, contended, isInShare, gps };
}

function jain(shares: readonly { readonly value: number }[]): number | null {
  const squares = shares.reduce((sum, { value }) => sum + value * value, 0);
  const total = shares.reduce((sum, { value }) => sum + value, 0);
  return squares > 0 ? (total * total) / (shares.length * squares) : null;
}

function least(shares: readonly { readonly tenant: string; readonly value: number }[]) {
  let minimum: { value: number; tenant: string } | null = null;
  for (const entry of shares) if (minimum === null || entry.value < minimum.value) minimum = entry;
  return minimum;
}

/** Slot-time that is declared, millisecond by millisecond. */
function slotTime(options: LiteralOptions, startMs: number, endMs: number): number {
  const changes = options.slotChanges ?? [];
  let total = 0;
  for (let atMs = startMs; atMs < endMs; ) {
    const next = Math.min(endMs, ...changes.filter((change) => change.atMs > atMs).map((change) => change.atMs));
    const slots = changes.findLast((change) => change.atMs <= atMs)?.slots ?? options.slots ?? 0;
    total += slots * (next - atMs);
    atMs = next;
  }
  return total;
}

function policyAt({ policies = [] }: LiteralOptions, atMs: number): LiteralPolicy | undefined {
  return policies.findLast((one) => one.atMs <= atMs) ?? policies[0];
}

function weightAt(options: LiteralOptions, tenant: string, atMs: number): number {
  const policy = policyAt(options, atMs);
  if (policy === undefined) return options.weights.get(tenant) ?? 1;
  return policy.weights.get(tenant) ?? policy.defaultWeight;
}

/** Shares over groups first, then inside each; who is in none stands for itself. */
function groupFill(
  demand: ReadonlyMap<string, number>,
  options: LiteralOptions,
  atMs: number,
  capacity: number,
): Map<string, number> {
  const policy = policyAt(options, atMs);
  const weightOf = (tenant: string): number => weightAt(options, tenant, atMs);
  const partyOf = (tenant: string): string => {
    const group = policy?.groupOf.get(tenant);
    return group === undefined ? `tenant ${tenant}` : `group ${group}`;
  };
  const parties = new Map<string, string[]>();
  for (const tenant of demand.keys()) parties.set(partyOf(tenant), [...(parties.get(partyOf(tenant)) ?? []), tenant]);
  const sum = (tenants: readonly string[]): number =>
    tenants.reduce((all, tenant) => all + (demand.get(tenant) ?? 0), 0);
  const outer = waterFill(
    new Map([...parties].map(([party, members]) => [party, sum(members)])),
    (party) => {
      const [first = ''] = parties.get(party) ?? [];
      const group = policy?.groupOf.get(first);
      return group === undefined ? weightOf(first) : (policy?.groupWeights.get(group) ?? 1);
    },
    capacity,
  );
  const shares = new Map<string, number>();
  for (const [party, members] of parties) {
    const inner = waterFill(
      new Map(members.map((tenant) => [tenant, demand.get(tenant) ?? 0])),
      weightOf,
      outer.get(party) ?? 0,
    );
    for (const [tenant, share] of inner) shares.set(tenant, share);
  }
  return shares;
}

function classify(event: DecisionEvent, options: LiteralOptions): Request {
  const { arrivedAtMs: a, dispatchedAtMs: p, completedAtMs: e } = event;
  const lost = options.watermarkMs - a > options.maxRequestAgeMs;
  let kind: Request['kind'] = 'served';
  if (event.outcome === 'rejected') kind = event.reason === 'quota' ? 'quota' : 'refused';
  else if (p === null && e !== null) kind = 'refused';
  else if (p === null) kind = lost ? 'lost_waiting' : 'waiting';
  else if (e === null) kind = lost ? 'lost_in_service' : 'in_service';
  return { event, kind, slots: event.slots ?? 1, cost: Number.NaN, serviceMs: Number.NaN, counted: true };
}

function ownCost(
  { event, kind, slots }: Request,
  options: LiteralOptions,
): { actual: number | null; any: number | null } {
  const { dispatchedAtMs: p, completedAtMs: e } = event;
  let derived: number | null = null;
  if (options.costUnit === 'requests') derived = 1;
  else if (options.costUnit === 'service_ms') {
    if (kind === 'served' && p !== null && e !== null) derived = slots * Math.max(e - p, 0);
  } else if (event.inputTokens !== null || event.outputTokens !== null) {
    derived = (event.inputTokens ?? 0) + (event.outputTokens ?? 0);
  }
  if (kind === 'served') return { actual: event.cost ?? derived, any: event.cost ?? derived ?? event.costEstimate };
  return { actual: null, any: event.cost ?? event.costEstimate ?? derived };
}

function impute(requests: readonly Request[], options: LiteralOptions): void {
  const windowOf = (request: Request): number => Math.floor(request.event.arrivedAtMs / options.windowMs);
  const median = (of: readonly Request[]): number | null => {
    const costs = of.flatMap((request) => ownCost(request, options).actual ?? []).sort((x, y) => x - y);
    return costs[Math.min(costs.length - 1, Math.floor(costs.length / 2))] ?? null;
  };
  for (const request of requests) {
    const own = ownCost(request, options).any;
    if (own !== null) {
      request.cost = own;
      continue;
    }
    const recent = requests.filter(
      (other) => windowOf(other) <= windowOf(request) && windowOf(other) > windowOf(request) - 60,
    );
    request.cost = median(recent.filter((other) => other.event.tenant === request.event.tenant)) ?? median(recent) ?? 1;
  }
}

function giveServiceTimes(requests: readonly Request[], options: LiteralOptions): void {
  const completions = requests.filter(
    (r) => r.kind === 'served' && (r.event.completedAtMs ?? 0) >= (r.event.dispatchedAtMs ?? 0),
  );
  const meanAt = (arrivedAtMs: number): number => {
    for (
      let window = Math.floor(arrivedAtMs / options.windowMs);
      window * options.windowMs >= options.fromMs;
      window--
    ) {
      const endOf = (r: Request): number => realStart(r) + (r.event.completedAtMs ?? 0) - (r.event.dispatchedAtMs ?? 0);
      const done = completions.filter((r) => Math.floor(endOf(r) / options.windowMs) === window);
      if (done.length === 0) continue;
      const total = done.reduce(
        (sum, r) => sum + Math.max((r.event.completedAtMs ?? 0) - (r.event.dispatchedAtMs ?? 0), 1),
        0,
      );
      return Math.max(1, total / done.length);
    }
    return 1;
  };
  for (const request of requests) {
    const { arrivedAtMs: a, dispatchedAtMs: p, completedAtMs: e } = request.event;
    if (request.kind === 'served') request.serviceMs = Math.max((e ?? 0) - (p ?? 0), 1);
    else if (request.kind === 'in_service') request.serviceMs = Math.max(meanAt(a), options.watermarkMs - (p ?? 0));
    else request.serviceMs = meanAt(a);
  }
}

function foldRetries(requests: readonly Request[], options: LiteralOptions): void {
  const originalOf = ({ event }: Request): string =>
    JSON.stringify(event.originalRequestId === null ? [event.requestId, event.attempt] : [event.originalRequestId, 1]);
  for (const request of requests) {
    const rivals = requests.filter(
      (other) =>
        other !== request &&
        other.event.tenant === request.event.tenant &&
        originalOf(other) === originalOf(request) &&
        Math.floor(other.event.arrivedAtMs / options.windowMs) ===
          Math.floor(request.event.arrivedAtMs / options.windowMs),
    );
    request.counted = !rivals.some((other) => isLater(other.event, request.event));
  }
}

/** Which attempt is the last: by arrival, number, then the one that says whose retry it is, then its id, so that one of them is. */
function isLater(other: DecisionEvent, one: DecisionEvent): boolean {
  if (other.arrivedAtMs !== one.arrivedAtMs) return other.arrivedAtMs > one.arrivedAtMs;
  if (other.attempt !== one.attempt) return other.attempt > one.attempt;
  if ((other.originalRequestId === null) !== (one.originalRequestId === null)) return one.originalRequestId === null;
  return other.requestId > one.requestId;
}

const hasService = (r: Request): boolean =>
  r.kind === 'served' || r.kind === 'in_service' || r.kind === 'lost_in_service';
const isAdmitted = (r: Request): boolean => r.counted && (hasService(r) || r.kind === 'waiting');
const isRefused = (r: Request): boolean => r.counted && (r.kind === 'refused' || r.kind === 'lost_waiting');
const inWindow = (r: Request, startMs: number, endMs: number): boolean =>
  r.event.arrivedAtMs >= startMs && r.event.arrivedAtMs < endMs;

function ideal(r: Request, fromMs: number, toMs: number): number {
  return overlap(r.event.arrivedAtMs, r.serviceMs, fromMs, toMs);
}

/** Service that clocks put before the arrival counts from the arrival on. */
const realStart = (r: Request): number => Math.max(r.event.dispatchedAtMs ?? 0, r.event.arrivedAtMs);

function real(r: Request, fromMs: number, toMs: number): number {
  return overlap(realStart(r), r.serviceMs, fromMs, toMs);
}

const offered = (r: Request, startMs: number, endMs: number): number =>
  (r.cost * ideal(r, startMs, endMs)) / r.serviceMs;
const served = (r: Request, startMs: number, endMs: number): number =>
  hasService(r) ? (r.cost * real(r, startMs, endMs)) / r.serviceMs : 0;

function late(requests: readonly Request[], atMs: number): number {
  const longAgo = Number.NEGATIVE_INFINITY;
  return requests
    .filter(isAdmitted)
    .reduce(
      (sum, r) =>
        sum +
        (r.cost * Math.max(0, ideal(r, longAgo, atMs) - (hasService(r) ? real(r, longAgo, atMs) : 0))) / r.serviceMs,
      0,
    );
}

function touches(r: Request, startMs: number, endMs: number): boolean {
  if (inWindow(r, startMs, endMs)) return true;
  if (r.kind === 'quota') return false;
  const { arrivedAtMs: a, completedAtMs: e } = r.event;
  const until = hasService(r)
    ? realStart(r) + r.serviceMs
    : r.kind === 'waiting'
      ? Number.POSITIVE_INFINITY
      : Math.max(a + r.serviceMs, e ?? 0);
  return a < endMs && until > startMs;
}

function waitsAt(r: Request, atMs: number): boolean {
  if (r.event.arrivedAtMs >= atMs) return false;
  if (hasService(r)) return realStart(r) >= atMs;
  return r.kind === 'waiting' || (r.kind === 'refused' && (r.event.completedAtMs ?? 0) >= atMs);
}

function waitOf(r: Request, options: LiteralOptions): number | null {
  const { arrivedAtMs: a, dispatchedAtMs: p, completedAtMs: e } = r.event;
  if (hasService(r)) return p !== null && p >= a && (e === null || e >= p) ? p - a : null;
  if (r.kind === 'waiting') return Math.max(0, options.watermarkMs - a);
  if (r.kind === 'lost_waiting') return options.maxRequestAgeMs;
  if (r.kind === 'refused' && e !== null && e > a) return e - a;
  return r.kind === 'refused' && r.event.outcome !== 'rejected' && e === a ? 0 : null;
}

function waitingSpan(r: Request): readonly [number, number] | null {
  const { arrivedAtMs: a, completedAtMs: e } = r.event;
  if (hasService(r)) return [a, realStart(r)];
  if (r.kind === 'waiting') return [a, Number.POSITIVE_INFINITY];
  return r.kind === 'refused' && e !== null ? [a, e] : null;
}

function busySpan(r: Request): readonly [number, number] | null {
  const { dispatchedAtMs: p, completedAtMs: e } = r.event;
  if (p === null) return null;
  const start = realStart(r);
  if (r.kind === 'served') return [start, start + Math.max((e ?? 0) - p, 1)];
  return r.kind === 'in_service' ? [start, Number.POSITIVE_INFINITY] : null;
}

const holds = (span: readonly [number, number] | null, atMs: number): boolean =>
  span !== null && span[0] <= atMs && atMs < span[1];

function waitingAllTheTime(requests: readonly Request[], startMs: number, endMs: number): boolean {
  return edges(requests, startMs, endMs).every((atMs) => requests.some((r) => holds(waitingSpan(r), atMs)));
}

function idleWhileWaiting(
  requests: readonly Request[],
  startMs: number,
  endMs: number,
  slots: number | null,
): number | null {
  if (slots === null || slots === 0) return null;
  const moments = edges(requests, startMs, endMs);
  let idle = 0;
  for (const [index, atMs] of moments.entries()) {
    const next = moments[index + 1] ?? endMs;
    const waiting = requests.filter((r) => holds(waitingSpan(r), atMs));
    const busy = requests.reduce((sum, r) => sum + (holds(busySpan(r), atMs) ? r.slots : 0), 0);
    if (waiting.some((r) => r.slots <= slots - busy)) idle += (slots - busy) * (next - atMs);
  }
  return idle / (slots * (endMs - startMs));
}

function edges(requests: readonly Request[], startMs: number, endMs: number): number[] {
  const inside = requests
    .flatMap((r) => [...(waitingSpan(r) ?? []), ...(busySpan(r) ?? [])])
    .filter((atMs) => atMs > startMs && atMs < endMs);
  return [...new Set([startMs, ...inside])].sort((a, b) => a - b);
}

/** Water filling by the plain rule: give everybody an equal rate per weight until satisfied or nothing is left. */
function waterFill(
  demand: ReadonlyMap<string, number>,
  weightOf: (tenant: string) => number,
  capacity: number,
): Map<string, number> {
  const share = new Map([...demand.keys()].map((tenant) => [tenant, 0]));
  let left = capacity;
  for (const group of ['weighted', 'weightless'] as const) {
    const weight = (tenant: string): number => (group === 'weighted' ? weightOf(tenant) : 1);
    let open = [...demand.keys()].filter(
      (tenant) => (demand.get(tenant) ?? 0) > 0 && weightOf(tenant) > 0 === (group === 'weighted'),
    );
    while (open.length > 0 && left > 0) {
      const weights = open.reduce((sum, tenant) => sum + weight(tenant), 0);
      const level = left / weights;
      const satisfied = open.filter((tenant) => (demand.get(tenant) ?? 0) <= level * weight(tenant));
      if (satisfied.length === 0) {
        for (const tenant of open) share.set(tenant, level * weight(tenant));
        left = 0;
        break;
      }
      for (const tenant of satisfied) {
        share.set(tenant, demand.get(tenant) ?? 0);
        left -= demand.get(tenant) ?? 0;
      }
      open = open.filter((tenant) => !satisfied.includes(tenant));
    }
  }
  return share;
}
