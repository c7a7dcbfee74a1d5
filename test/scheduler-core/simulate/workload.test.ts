import { describe, expect, it } from 'vitest';
import {
  constantRate,
  drawRequests,
  exponentialService,
  type NoisyNeighbourOptions,
  noisyNeighbour,
  type RateProfile,
  rateInCycle,
  rateInSpans,
  type SimulatedRequest,
  type TenantLoad,
} from '../../../scheduler-core/simulate/index.ts';

const SEED = 11;

function requestsAt(rate: RateProfile, toMs: number, seed = SEED): SimulatedRequest[] {
  return [
    ...drawRequests({
      loads: [{ tenant: 'a', arrivals: { kind: 'poisson', rate }, service: exponentialService(4) }],
      seed,
      fromMs: 0,
      toMs,
      idPrefix: '',
    }),
  ];
}

function countIn(requests: readonly SimulatedRequest[], fromMs: number, toMs: number): number {
  return requests.filter(({ arrivedAtMs }) => arrivedAtMs >= fromMs && arrivedAtMs < toMs).length;
}

/** Within five standard deviations of a Poisson count. */
function expectPoisson(count: number, mean: number, hint: string): void {
  expect(Math.abs(count - mean), `${hint}, seed ${SEED}: ${count} for ${mean}`).toBeLessThan(5 * Math.sqrt(mean));
}

describe('Poisson arrivals', () => {
  it('come at the rate asked for, with gaps and services as an exponential distribution has them', () => {
    const requests = requestsAt(constantRate(100), 200_000);
    expectPoisson(requests.length, 20_000, 'arrivals');
    const gapsMs = requests.slice(1).map(({ arrivedAtMs }, index) => arrivedAtMs - (requests[index]?.arrivedAtMs ?? 0));
    const servicesMs = requests.map(({ serviceMs }) => serviceMs);
    for (const [values, mean] of [[gapsMs, 10] as const, [servicesMs, 4] as const]) {
      const share = (level: number): number => values.filter((value) => value > level * mean).length / values.length;
      for (const level of [0.1, 1, 3]) expect(share(level)).toBeCloseTo(Math.exp(-level), 1.7);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    }
  });

  it('change their rate exactly at the bounds of a span', () => {
    const requests = requestsAt(
      rateInSpans(0, [
        { fromMs: 500, toMs: 1500, rateRps: 1000 },
        { fromMs: 3000, toMs: 3500, rateRps: 1000 },
      ]),
      9000,
    );
    expect(countIn(requests, 0, 500) + countIn(requests, 1500, 3000) + countIn(requests, 3500, 9000)).toBe(0);
    expectPoisson(countIn(requests, 500, 1500), 1000, 'first span');
    expectPoisson(countIn(requests, 3000, 3500), 500, 'second span');
  });

  it('change their rate in a cycle aligned to time 0, also before it', () => {
    const rate = rateInCycle(1, 5, { everyMs: 900, lengthMs: 300 });
    expect([-900, -601, 0, 299, 300, 899, 900].map((atMs) => rate(atMs))).toEqual([
      { rateRps: 5, untilMs: -600 },
      { rateRps: 5, untilMs: -600 },
      { rateRps: 5, untilMs: 300 },
      { rateRps: 5, untilMs: 300 },
      { rateRps: 1, untilMs: 900 },
      { rateRps: 1, untilMs: 900 },
      { rateRps: 5, untilMs: 1200 },
    ]);
  });

  it('end, and do not hang, where a rate is 0 for ever or the span is empty', () => {
    expect(requestsAt(constantRate(0), Number.POSITIVE_INFINITY)).toEqual([]);
    expect(requestsAt(constantRate(10), 0)).toEqual([]);
  });

  it('of one tenant do not depend on the other tenants', () => {
    const load = (tenant: string, rateRps: number): TenantLoad => ({
      tenant,
      arrivals: { kind: 'poisson', rate: constantRate(rateRps) },
      service: exponentialService(4),
    });
    const withLoads = (...loads: TenantLoad[]) =>
      [...drawRequests({ loads, seed: SEED, fromMs: 0, toMs: 5000, idPrefix: '' })]
        .filter(({ tenant }) => tenant === 'a')
        .map(({ arrivedAtMs, serviceMs }) => [arrivedAtMs, serviceMs]);
    expect(withLoads(load('b', 900), load('a', 20))).toEqual(withLoads(load('a', 20)));
  });
});

describe('the noisy neighbour', () => {
  const scenario = (options: Partial<NoisyNeighbourOptions> = {}) => [...noisyNeighbour({ seed: SEED, ...options })];

  it('gives the same bytes for the same seed, and others for another', () => {
    const bytes = JSON.stringify(scenario());
    expect(JSON.stringify(scenario())).toBe(bytes);
    expect(JSON.stringify(scenario({ seed: SEED + 1 }))).not.toBe(bytes);
  });

  it('comes in order of time with distinct ids and times within the minute', () => {
    const requests = scenario();
    for (const [index, { arrivedAtMs }] of requests.entries()) {
      expect(arrivedAtMs).toBeGreaterThanOrEqual(requests[index - 1]?.arrivedAtMs ?? 0);
    }
    expect(requests.at(-1)?.arrivedAtMs).toBeLessThan(60_000);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  it('has each of its 25 tenants at its rate, and heavy at five times its own from 20 to 40 s', () => {
    const requests = scenario();
    const of = (tenant: string) => requests.filter((each) => each.tenant === tenant);
    expect(new Set(requests.map(({ tenant }) => tenant)).size).toBe(25);
    expectPoisson(requests.length, 76_400, 'all');
    expectPoisson(countIn(of('heavy'), 0, 20_000), 8000, 'heavy before');
    expectPoisson(countIn(of('heavy'), 20_000, 40_000), 40_000, 'heavy in the burst');
    expectPoisson(countIn(of('heavy'), 40_000, 60_000), 8000, 'heavy after');
    for (let index = 0; index < 4; index++) expectPoisson(of(`mid${index}`).length, 3600, `mid${index}`);
    for (const name of ['small00', 'small07', 'small19']) expectPoisson(of(name).length, 300, name);
  });

  it('moves as a whole with its origin, bursts included', () => {
    const originMs = 2 ** 40;
    const gaps = (requests: readonly SimulatedRequest[], fromMs: number) =>
      requests.map(({ tenant, arrivedAtMs }) => [tenant, Math.round(arrivedAtMs - fromMs)]);
    const moved = scenario({ originMs, durationMs: 2000, bursts: [{ fromMs: 1000, toMs: 1500 }] });
    const unmoved = scenario({ durationMs: 2000, bursts: [{ fromMs: 1000, toMs: 1500 }] });
    expect(gaps(moved, originMs).slice(0, 200)).toEqual(gaps(unmoved, 0).slice(0, 200));
    expectPoisson(countIn(moved, originMs + 1000, originMs + 1500), 1000 + 170, 'burst');
  });

  it('is drawn as it is read: an endless one can be read in part', () => {
    const endless = noisyNeighbour({
      seed: SEED,
      durationMs: Number.POSITIVE_INFINITY,
      rateScale: 0.1,
      idPrefix: 'x-',
    });
    expect([endless.next().value?.id, endless.next().value?.id]).toEqual(['x-0', 'x-1']);
  });
});
