import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import {
  type ArrivalProcess,
  drawRequests,
  type EstimateError,
  exponentialService,
  type ServeGenWindow,
  type ServiceModel,
  type SimulatedRequest,
  type SizeDistribution,
  sampleGamma,
  sampleLognormal,
  sampleWeibull,
  serveGenWindows,
} from '../../../scheduler-core/simulate/index.ts';
import { sharedTrace } from '../../ingest/adapters/records.ts';
import { requirePart } from '../../support/require-part.ts';

const SEED = 17;
const SAMPLES = 100_000;

interface Moments {
  readonly mean: number;
  readonly variance: number;
}

function momentsOf(values: readonly number[]): Moments {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length };
}

function draw(sample: (random: ReturnType<typeof seededRandom>) => number): number[] {
  const random = seededRandom(SEED);
  return Array.from({ length: SAMPLES }, () => sample(random));
}

/** Γ by its recurrence and Stirling's series: independent of the sampler's own. */
function gamma(x: number): number {
  if (x < 20) return gamma(x + 1) / x;
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
  return Math.sqrt((2 * Math.PI) / x) * (x / Math.E) ** x * Math.exp(series);
}

describe('samplers have the mean and the variance of their distribution', () => {
  it.each([0.1, 0.5, 1, 2.5, 40])('gamma of shape %f', (shape) => {
    const { mean, variance } = momentsOf(draw((random) => sampleGamma(random, shape, 3)));
    expect(mean / (3 * shape)).toBeCloseTo(1, 1.3);
    expect(variance / (9 * shape)).toBeCloseTo(1, 0.9);
  });

  it.each([0.6, 1, 2, 5])('Weibull of shape %f', (shape) => {
    const expected = 3 * gamma(1 + 1 / shape);
    const { mean, variance } = momentsOf(draw((random) => sampleWeibull(random, shape, 3)));
    expect(mean / expected).toBeCloseTo(1, 1.5);
    expect(variance / (9 * gamma(1 + 2 / shape) - expected ** 2)).toBeCloseTo(1, 0.9);
  });

  it('lognormal: the mean asked for, whatever the spread', () => {
    for (const sigma of [0, 0.5, 1]) {
      const { mean } = momentsOf(draw((random) => sampleLognormal(random, 8, sigma)));
      expect(mean / 8).toBeCloseTo(1, 1.5);
    }
  });

  it('Weibull of shape 1 and gamma of shape 1 are exponential', () => {
    for (const sample of [sampleWeibull, sampleGamma]) {
      const values = draw((random) => sample(random, 1, 1));
      for (const level of [0.1, 1, 3]) {
        expect(values.filter((value) => value > level).length / SAMPLES).toBeCloseTo(Math.exp(-level), 1.9);
      }
    }
  });
});

function requestsOf(
  arrivals: ArrivalProcess,
  toMs: number,
  service: ServiceModel = exponentialService(1),
): SimulatedRequest[] {
  return [...drawRequests({ loads: [{ tenant: 'a', arrivals, service }], seed: SEED, fromMs: 0, toMs, idPrefix: '' })];
}
const times = (requests: readonly SimulatedRequest[]): number[] => requests.map(({ arrivedAtMs }) => arrivedAtMs);

describe('arrivals', () => {
  it('that are periodic come at exact multiples, from the start up to the end and not at it', () => {
    const periodic: ArrivalProcess = { kind: 'periodic', everyMs: 0.1, fromMs: 1, toMs: 2 };
    const got = times(requestsOf(periodic, 100));
    expect(got).toHaveLength(10);
    expect(got[7]).toBe(1 + 7 * 0.1);
    expect(times(requestsOf({ kind: 'periodic', everyMs: 30, fromMs: 0, toMs: Number.POSITIVE_INFINITY }, 90))).toEqual(
      [0, 30, 60],
    );
  });

  it('in bursts come one after another, and bursts that overlap in order of time', () => {
    const bursts: ArrivalProcess = {
      kind: 'bursts',
      bursts: [
        { atMs: 10, count: 3, gapMs: 0.4 },
        { atMs: 10.5, count: 2, gapMs: 0 },
      ],
    };
    expect(times(requestsOf(bursts, 100))).toEqual([10, 10.4, 10.5, 10.5, 10.8]);
  });

  it('that are recorded come when they came, within the span asked for', () => {
    const requests = drawRequests({
      loads: [{ tenant: 'a', arrivals: { kind: 'recorded', atMs: [1, 5, 5, 9] }, service: exponentialService(1) }],
      seed: SEED,
      fromMs: 5,
      toMs: 9,
      idPrefix: '',
    });
    expect(times([...requests])).toEqual([5, 5]);
  });

  it('with gaps of their own come at their rate and burstiness, window by window', () => {
    const windows = serveGenWindows([
      { startMs: 0, lengthMs: 1e6, rateRps: 20, distribution: 'gamma', shape: 0.25 },
      { startMs: 2e6, lengthMs: 1e6, rateRps: 5, distribution: 'weibull', shape: 2 },
    ]);
    const got = times(requestsOf({ kind: 'renewal', windows }, 1e9));
    const within = (from: number, to: number): number[] => got.filter((atMs) => atMs >= from && atMs < to);
    expect(within(0, 1e6).length / 20_000).toBeCloseTo(1, 1.3);
    expect(within(1e6, 2e6)).toEqual([]);
    expect(within(2e6, 3e6).length / 5000).toBeCloseTo(1, 1.3);
    const gaps = within(0, 1e6)
      .slice(1)
      .map((atMs, index) => atMs - (within(0, 1e6)[index] ?? 0));
    const { mean, variance } = momentsOf(gaps);
    // Coefficient of variation of a gamma: 1/√shape.
    expect(Math.sqrt(variance) / mean).toBeCloseTo(2, 0.8);
  });
});

describe('the ServeGen windows', () => {
  it('are drawn at the rates of their clients', (context) => {
    const path = requirePart(context, sharedTrace('servegen/reason_deepseek-r1_client_windows.csv.gz'));
    const [, ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
    const rows = lines.map((line) => line.split(','));
    for (const client of ['0', '1', '2']) {
      const own = rows
        .filter((row) => row[0] === client)
        .map(
          (row): ServeGenWindow => ({
            startMs: 1000 * Number(row[1]),
            lengthMs: 600_000,
            rateRps: Number(row[2]),
            distribution: row[4] === 'Gamma' ? 'gamma' : 'weibull',
            shape: Number(row[5]),
          }),
        );
      const expected = own.reduce((sum, { rateRps }) => sum + 600 * rateRps, 0);
      const got = requestsOf({ kind: 'renewal', windows: serveGenWindows(own) }, Number.POSITIVE_INFINITY).length;
      expect(got / expected, `client ${client}, seed ${SEED}: ${got} for ${expected}`).toBeCloseTo(1, 0.5);
    }
  });
});

describe('sizes', () => {
  const model = (size: SizeDistribution, estimate: EstimateError = { kind: 'none' }): ServiceModel => ({
    size,
    baseMs: 100,
    perUnitMs: 1,
    cost: 'size',
    estimate,
  });
  const every: ArrivalProcess = { kind: 'periodic', everyMs: 1, fromMs: 0, toMs: Number.POSITIVE_INFINITY };

  it('in whole tokens take every number within bounds, equally likely', () => {
    const requests = requestsOf(every, 60_000, model({ kind: 'uniform_whole', from: 3, to: 5 }));
    for (const tokens of [3, 4, 5]) {
      expect(requests.filter(({ costEstimate }) => costEstimate === tokens).length / 60_000).toBeCloseTo(1 / 3, 1.7);
    }
    for (const { costEstimate, serviceMs } of requests) expect(serviceMs).toBe(100 + (costEstimate ?? 0));
  });

  it('are what the estimate is not: the service goes by the actual one', () => {
    const error: EstimateError = { kind: 'actual_is_estimate_times', from: 0.7, to: 1.3 };
    const requests = requestsOf(every, 5000, model({ kind: 'constant', value: 100 }, error));
    const ratios = requests.map(({ actualCost, costEstimate }) => (actualCost ?? 0) / (costEstimate ?? 1));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.7);
    expect(Math.max(...ratios)).toBeLessThan(1.3);
    expect(momentsOf(ratios).mean).toBeCloseTo(1, 1.8);
    for (const { actualCost, costEstimate, serviceMs } of requests) {
      expect(costEstimate).toBe(100);
      expect(serviceMs).toBeCloseTo(100 + (actualCost ?? 0), 9);
    }
  });

  it('stay as they are when estimates get worse: errors have chance of their own', () => {
    const size: SizeDistribution = { kind: 'uniform', from: 10, to: 20 };
    const services = (estimate: EstimateError): number[] =>
      requestsOf(every, 1000, model(size, estimate)).map(({ serviceMs }) => serviceMs);
    expect(services({ kind: 'estimate_is_actual_times', from: 0, to: 2 })).toEqual(services({ kind: 'none' }));
  });
});
