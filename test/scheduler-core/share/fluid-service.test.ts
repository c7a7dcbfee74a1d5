import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BacklogRun,
  type FluidRequest,
  FluidWorkBuilder,
  fluidService,
  type Groups,
  gpsFluid,
} from '../../../scheduler-core/share/index.ts';

const STEP_MS = 1000;
const STEPS = 12;

interface TenantRequests {
  readonly weight: number;
  readonly requests: readonly FluidRequest[];
}

const waiting = (arrivedMs: number, serviceMs: number, cost: number): FluidRequest => ({
  arrivedMs,
  dispatchedMs: 0,
  serviceMs,
  cost,
  slots: 1,
  presentToMs: arrivedMs + Math.ceil(serviceMs),
  isAdmitted: true,
  isRefused: false,
  isServed: false,
});

const served = (arrivedMs: number, dispatchedMs: number, serviceMs: number, cost: number): FluidRequest => ({
  ...waiting(arrivedMs, serviceMs, cost),
  dispatchedMs,
  presentToMs: dispatchedMs + Math.ceil(serviceMs),
  isServed: true,
});

function run(
  tenants: readonly TenantRequests[],
  capacities: readonly (number | null)[],
  given: {
    readonly stepsPerSpan?: number;
    readonly groups?: Groups;
    readonly backlog?: Float64Array;
    readonly gpsBacklog?: Float64Array;
  } = {},
) {
  const builder = new FluidWorkBuilder({ steps: capacities.length, stepMs: STEP_MS, stepsPerSpan: 1 });
  for (const [tenant, { requests }] of tenants.entries()) for (const request of requests) builder.add(tenant, request);
  const spans: {
    ideal: number[];
    maxLag: number[];
    lagSum: number[];
    backlog: number[];
    gps: number[][];
    contended: boolean;
  }[] = [];
  const work = builder.build();
  const of = (figures: Float64Array): number[] => tenants.map((_, tenant) => figures[tenant] ?? 0);
  const runs = fluidService({
    work,
    backlog: given.backlog ?? new Float64Array(work.tenants),
    gpsBacklog: given.gpsBacklog ?? new Float64Array(work.tenants),
    graceRatio: 1,
    stepsPerSpan: given.stepsPerSpan ?? 1,
    terms: {
      capacity: (step) => capacities[step] ?? null,
      entitlements: (step) =>
        step === 0 ? { weights: tenants.map(({ weight }) => weight), groups: given.groups ?? null } : null,
    },
    onSpan: ({ ideal, maxLag, lagSum, backlog, gps, contended }) => {
      spans.push({
        ideal: of(ideal),
        maxLag: of(maxLag),
        lagSum: of(lagSum),
        backlog: of(backlog),
        gps: [gps.served, gps.refused, gps.lagBefore, gps.maxLag, gps.backlog].map(of),
        contended,
      });
    },
  });
  return { spans, runs, poolSteps: builder.poolSteps() };
}

const requestArbitrary = fc.record({
  arrivedMs: fc.integer({ min: -3000, max: STEPS * STEP_MS }),
  waitMs: fc.integer({ min: 0, max: 4000 }),
  serviceMs: fc.oneof(fc.integer({ min: 1, max: 900 }), fc.double({ min: 1, max: 9000, noNaN: true })),
  cost: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 1e6, noNaN: true })),
});

/** Work of a request per step by its definition: overlap of intervals. */
function overlap(startMs: number, serviceMs: number, fromMs: number, toMs: number): number {
  const until = (end: number): number => Math.min(serviceMs, Math.max(0, end - startMs));
  return until(toMs) - until(fromMs);
}

describe('the fluid model over sparse work', () => {
  it('serves what fluid processor sharing serves, step by step, where nothing was really served', () => {
    const tenants = fc.array(
      fc.record({ weight: fc.constantFrom(1, 2, 0.5, 0), requests: fc.array(requestArbitrary, { maxLength: 8 }) }),
      { minLength: 1, maxLength: 6 },
    );
    const capacities = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000_000 })), {
      minLength: STEPS,
      maxLength: STEPS,
    });
    fc.assert(
      fc.property(tenants, capacities, (random, capacity) => {
        const all = random.map(({ weight, requests }) => ({
          weight,
          // Nothing is late from before: what came earlier has been forgotten.
          requests: requests.map((one) => waiting(Math.max(0, one.arrivedMs), one.serviceMs, one.cost)),
        }));
        const steps = capacity.map((amount, step) => ({
          capacity: amount,
          offered: Object.fromEntries(
            all.map(({ requests }, tenant) => [
              `t${tenant}`,
              requests.reduce((sum, one) => {
                const from = step * STEP_MS;
                return sum + (one.cost * overlap(one.arrivedMs, one.serviceMs, from, from + STEP_MS)) / one.serviceMs;
              }, 0),
            ]),
          ),
        }));
        const weights = Object.fromEntries(all.map(({ weight }, tenant) => [`t${tenant}`, weight]));
        const oracle = gpsFluid({ steps, weights });
        const { spans } = run(all, capacity);
        const scale = Math.max(1, ...capacity, ...all.flatMap(({ requests }) => requests.map(({ cost }) => cost)));
        for (const [step, result] of oracle.entries()) {
          for (const tenant of all.keys()) {
            expect((spans[step]?.ideal[tenant] ?? 0) / scale).toBeCloseTo(
              (result.served.get(`t${tenant}`) ?? 0) / scale,
              7,
            );
            expect((spans[step]?.backlog[tenant] ?? 0) / scale).toBeCloseTo(
              (result.backlog.get(`t${tenant}`) ?? 0) / scale,
              7,
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says the same bits in two parts as in one, given what the first leaves', () => {
    const tenants = fc.array(
      fc.record({ weight: fc.constantFrom(1, 3), requests: fc.array(requestArbitrary, { maxLength: 8 }) }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(
        tenants,
        fc.integer({ min: 1, max: STEPS - 1 }),
        fc.integer({ min: 1, max: 60_000 }),
        (random, cut, c) => {
          const shifted = (byMs: number) =>
            random.map(({ weight, requests }) => ({
              weight,
              requests: requests.map((one) =>
                served(one.arrivedMs - byMs, one.arrivedMs - byMs + one.waitMs, one.serviceMs, one.cost),
              ),
            }));
          const whole = run(shifted(0), new Array<number>(STEPS).fill(c));
          const head = run(shifted(0), new Array<number>(cut).fill(c));
          const last = head.spans.at(-1);
          const carried = Float64Array.from(last?.backlog ?? []);
          const gpsCarried = Float64Array.from(last?.gps[4] ?? []);
          const tail = run(shifted(cut * STEP_MS), new Array<number>(STEPS - cut).fill(c), {
            backlog: carried,
            gpsBacklog: gpsCarried,
          });
          expect([...head.spans, ...tail.spans]).toEqual(whole.spans);
          expect([...head.poolSteps.served, ...tail.poolSteps.served]).toEqual(whole.poolSteps.served);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('spreads every request to the last bit, in whatever order requests come', () => {
    fc.assert(
      fc.property(
        fc.array(requestArbitrary, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (random, shuffle) => {
          const requests = random.map((one) =>
            served(one.arrivedMs, one.arrivedMs + one.waitMs, one.serviceMs, one.cost),
          );
          const order = requests.map((one) => ({ one, key: shuffle.next().value ?? 0 })).sort((a, b) => a.key - b.key);
          const steps = new Array<number>(STEPS + 20).fill(1e12);
          const plain = run([{ weight: 1, requests }], steps);
          const other = run([{ weight: 1, requests: order.map(({ one }) => one) }], steps);
          expect(other).toEqual(plain);
          for (const [step, servedCost] of plain.poolSteps.served.entries()) {
            const from = step * STEP_MS;
            const expected = requests.reduce(
              (sum, one) =>
                sum + (one.cost * overlap(one.dispatchedMs, one.serviceMs, from, from + STEP_MS)) / one.serviceMs,
              0,
            );
            expect(servedCost).toBeCloseTo(expected, 4);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('calls lag what a fair system would have done: a flood has none, its victim has', () => {
    // One slot, first come first served: the flood's 10 s of work at once, then a victim's second.
    const flood = Array.from({ length: 10 }, (_, index) => served(0, index * 1000, 1000, 1));
    const { spans, runs } = run(
      [
        { weight: 1, requests: flood },
        { weight: 1, requests: [served(1000, 10_000, 1000, 1)] },
      ],
      new Array<number>(STEPS).fill(1),
    );
    expect(spans[1]?.ideal).toEqual([0.5, 0.5]);
    expect(spans[2]?.maxLag[0]).toBe(0);
    expect(spans[2]?.maxLag[1]).toBe(1);
    expect(runs).toContainEqual<BacklogRun>({ tenant: 1, fromStep: 1, toStep: 2 });
    expect(runs.find((one) => one.tenant === 0)).toMatchObject({ fromStep: 0 });
  });

  it('grants every demand where the capacity is unknown', () => {
    const { spans, runs } = run([{ weight: 1, requests: [waiting(0, 2000, 8)] }], [null, null]);
    expect(spans.map(({ ideal, contended }) => [ideal, contended])).toEqual([
      [[4], false],
      [[4], false],
    ]);
    expect(runs).toEqual([]);
  });

  it('gives a customer with fifty keys in a group what it would get with one', () => {
    const key = (cost: number) => ({ weight: 1, requests: [waiting(0, 1000, cost)] });
    const rival = key(100);
    const groups = { of: [-1, ...new Array<number>(50).fill(0)], weights: [1] };
    const split = run([rival, ...Array.from({ length: 50 }, () => key(2))], [60], { groups });
    const whole = run([rival, key(100)], [60]);
    expect(split.spans[0]?.ideal[0]).toBe(whole.spans[0]?.ideal[0]);
    // The control: each key for itself takes nearly all.
    const alone = run([rival, ...Array.from({ length: 50 }, () => key(2))], [60]);
    expect(alone.spans[0]?.ideal[0]).toBeLessThan(5);
  });
});
