import { describe, expect, it } from 'vitest';
import {
  type EndedRequest,
  EventLoop,
  NOISY_NEIGHBOUR_SLOTS,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from '../../../scheduler-core/simulate/index.ts';

const FROM_MS = 20_000;
const TO_MS = 40_000;

function run(kind: 'fifo' | 'drr', seed: number): EndedRequest[] {
  const loop = new EventLoop({
    arrivals: noisyNeighbour({ seed }),
    policy: noisyNeighbourPolicy(kind),
    slots: NOISY_NEIGHBOUR_SLOTS,
  });
  return [...loop.runToEnd()];
}

interface Figures {
  readonly jain: number;
  readonly minShare: number;
  readonly p99WaitMs: number;
  readonly heavyRps: number;
  readonly inShare: ReadonlySet<string>;
  readonly refusedInShare: number;
}

/** The published figures, word for word and slowly: requests of equal worth, over 20–40 s. */
function measure(ended: readonly EndedRequest[]): Figures {
  const within = (atMs: number | null): boolean => atMs !== null && atMs >= FROM_MS && atMs < TO_MS;
  const tenants = [...new Set(ended.map(({ request }) => request.tenant))];
  const count = (tenant: string, timeOf: (each: EndedRequest) => number | null): number =>
    ended.filter((each) => each.request.tenant === tenant && within(timeOf(each))).length;
  const rows = tenants.map((tenant) => ({
    tenant,
    demand: count(tenant, ({ request }) => request.arrivedAtMs),
    served: count(tenant, (each) => (each.outcome === 'served' ? each.endedAtMs : null)),
  }));
  const capacity = rows.reduce((sum, { served }) => sum + served, 0);

  // The water level by bisection: the height at which the demands, cut off there, add up to the capacity.
  const poured = (level: number): number => rows.reduce((sum, { demand }) => sum + Math.min(demand, level), 0);
  let low = 0;
  let high = Math.max(...rows.map(({ demand }) => demand));
  for (let halving = 0; halving < 100; halving++) {
    const middle = (low + high) / 2;
    if (poured(middle) > capacity) high = middle;
    else low = middle;
  }
  const shares = rows.map(({ served, demand }) => served / Math.min(demand, low));
  const sum = shares.reduce((total, share) => total + share, 0);
  const sumOfSquares = shares.reduce((total, share) => total + share * share, 0);

  const inShare = new Set(rows.filter(({ demand }) => demand <= low).map(({ tenant }) => tenant));
  const waitsMs = ended
    .filter(({ request }) => inShare.has(request.tenant) && within(request.arrivedAtMs))
    .flatMap(({ request, dispatchedAtMs }) => (dispatchedAtMs === null ? [] : [dispatchedAtMs - request.arrivedAtMs]))
    .sort((left, right) => left - right);
  return {
    jain: (sum * sum) / (shares.length * sumOfSquares),
    minShare: Math.min(...shares),
    p99WaitMs: waitsMs[Math.floor(0.99 * waitsMs.length)] ?? Number.NaN,
    heavyRps: (rows.find(({ tenant }) => tenant === 'heavy')?.served ?? 0) / 20,
    inShare,
    refusedInShare: ended.filter(({ request, outcome }) => inShare.has(request.tenant) && outcome === 'rejected')
      .length,
  };
}

function expectWithin(value: number, low: number, high: number): void {
  expect(value).toBeGreaterThanOrEqual(low);
  expect(value).toBeLessThanOrEqual(high);
}

describe.each([1, 2, 3])('a noisy neighbour, seed %i', (seed) => {
  it('starves the others under fifo, as published', () => {
    const figures = measure(run('fifo', seed));
    expectWithin(figures.jain, 0.704, 0.773);
    expectWithin(figures.p99WaitMs, 2531, 2728);
    expect(figures.minShare).toBeLessThan(0.4);
    expectWithin(figures.heavyRps, 640, 720);
  });

  it('costs the others nothing under deficit round robin, as published', () => {
    const figures = measure(run('drr', seed));
    expect(figures.inShare.size).toBe(24);
    expectWithin(figures.p99WaitMs, 17.9, 24.1);
    expectWithin(figures.minShare, 0.956, 1.05);
    expectWithin(figures.jain, 0.999, 1);
    expectWithin(figures.heavyRps, 430, 490);
  });

  it('gets no tenant within its share refused under deficit round robin; fifo, the control, fails that', () => {
    expect(measure(run('drr', seed)).refusedInShare).toBe(0);
    expect(measure(run('fifo', seed)).refusedInShare).toBeGreaterThan(1000);
  });
});

describe('a noisy neighbour', () => {
  it.each(['fifo', 'drr'] as const)('ends each request once, in order, and served by 8 at most, under %s', (kind) => {
    const ended = run(kind, 1);
    expect(new Set(ended.map(({ request }) => request.id)).size).toBe([...noisyNeighbour({ seed: 1 })].length);
    const changes: [atMs: number, servers: number][] = [];
    for (const { request, dispatchedAtMs, endedAtMs } of ended) {
      if (dispatchedAtMs === null) continue;
      expect(dispatchedAtMs).toBeGreaterThanOrEqual(request.arrivedAtMs);
      expect(endedAtMs).toBeGreaterThanOrEqual(dispatchedAtMs);
      changes.push([dispatchedAtMs, 1], [endedAtMs, -1]);
    }
    changes.sort(([left, servers], [right, others]) => left - right || servers - others);
    let busy = 0;
    let busiest = 0;
    for (const [, servers] of changes) {
      busy += servers;
      busiest = Math.max(busiest, busy);
    }
    expect(busiest).toBe(8);
  });

  it('gives the same bytes for the same seed', () => {
    expect(JSON.stringify(run('drr', 9))).toBe(JSON.stringify(run('drr', 9)));
  });
});
