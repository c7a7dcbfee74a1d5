import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FluidRequest, FluidWorkBuilder } from '../../../scheduler-core/share/index.ts';

const STEP_MS = 1000;

const requests = fc.record({
  arrivedMs: fc.integer({ min: -4000, max: 13_000 }),
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5000 })),
  serviceMs: fc.oneof(fc.integer({ min: 1, max: 900 }), fc.double({ min: 1, max: 9000, noNaN: true })),
  cost: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 1e6, noNaN: true })),
  kind: fc.constantFrom('served', 'superseded', 'waiting', 'refused' as const),
});

type Given = typeof requests extends fc.Arbitrary<infer One> ? One : never;

function requestOf({ arrivedMs, waitMs, serviceMs, cost, kind }: Given): FluidRequest {
  const isServed = kind === 'served' || kind === 'superseded';
  const dispatchedMs = arrivedMs + waitMs;
  return {
    arrivedMs,
    dispatchedMs,
    serviceMs,
    cost,
    slots: 1,
    presentToMs: isServed ? dispatchedMs + Math.ceil(serviceMs) : arrivedMs + Math.ceil(serviceMs),
    isAdmitted: kind === 'served' || kind === 'waiting',
    isRefused: kind === 'refused',
    isServed,
  };
}

/** Work of `[startMs, startMs + serviceMs)` before a moment, by its definition. */
function before(startMs: number, { serviceMs, cost }: FluidRequest, atMs: number): number {
  return (cost * Math.min(serviceMs, Math.max(0, atMs - startMs))) / serviceMs;
}

describe('the work of tenants in spans of steps', () => {
  it('is the overlap of each request with each span in which it is present', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(requests, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 2, 3, 6, 12),
        (given, stepsPerSpan) => {
          const builder = new FluidWorkBuilder({ steps: 12, stepMs: STEP_MS, stepsPerSpan });
          const tenants = given.map((own) => own.map(requestOf));
          for (const [tenant, own] of tenants.entries()) for (const request of own) builder.add(tenant, request);
          builder.build();
          const { size, tenantOf, spanOf, offered, refused, served, late, lateAfter } = builder.spanWork();
          const found = Array.from({ length: size }, (_, row) => ({
            at: [tenantOf[row], spanOf[row]],
            figures: [offered[row], refused[row], served[row], late[row], lateAfter[row]],
          }));
          const spanMs = stepsPerSpan * STEP_MS;
          const expected = tenants.flatMap((own, tenant) =>
            Array.from({ length: 12 / stepsPerSpan }, (_, span) => span)
              .filter((span) =>
                own.some((one) => one.arrivedMs < (span + 1) * spanMs && one.presentToMs > span * spanMs),
              )
              .map((span) => ({ at: [tenant, span], figures: figuresOf(own, span * spanMs, (span + 1) * spanMs) })),
          );
          expect(found.map(({ at }) => at)).toEqual(expected.map(({ at }) => at));
          for (const [row, { figures }] of expected.entries()) {
            for (const [column, figure] of figures.entries()) {
              expect(found[row]?.figures[column]).toBeCloseTo(figure, 5);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('adds up over any cut into spans to the same, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(requests, { minLength: 1, maxLength: 12 }), (given) => {
        const totals = [1, 4, 12].map((stepsPerSpan) => {
          const builder = new FluidWorkBuilder({ steps: 12, stepMs: STEP_MS, stepsPerSpan });
          for (const one of given) {
            const whole = { ...one, cost: Math.floor(one.cost) % 300 };
            builder.add(0, requestOf({ ...whole, serviceMs: Math.ceil(one.serviceMs) }));
          }
          builder.build();
          const { size, served, lateAfter } = builder.spanWork();
          // Sums of 2⁻⁴⁰ths are exact as floats below 2¹²: twelve requests of less than 300 each.
          return { servedParts: exactSum(served.subarray(0, size)), late: size === 0 ? 0 : lateAfter[size - 1] };
        });
        expect(new Set(totals.map((total) => JSON.stringify(total))).size).toBe(1);
      }),
      { numRuns: 300 },
    );
  });
});

/** In 2⁻⁴⁰ths. */
function exactSum(amounts: Float64Array): string {
  let sum = 0n;
  for (const amount of amounts) {
    const whole = Math.floor(amount);
    sum += (BigInt(whole) << 40n) + BigInt(Math.round((amount - whole) * 2 ** 40));
  }
  return String(sum);
}

function figuresOf(requests: readonly FluidRequest[], fromMs: number, toMs: number): number[] {
  const sum = (amount: (request: FluidRequest) => number): number =>
    requests.reduce((total, request) => total + amount(request), 0);
  const offered = (one: FluidRequest) => before(one.arrivedMs, one, toMs) - before(one.arrivedMs, one, fromMs);
  const done = (one: FluidRequest, atMs: number) => (one.isServed ? before(one.dispatchedMs, one, atMs) : 0);
  const late = (one: FluidRequest, atMs: number) =>
    one.isAdmitted ? before(one.arrivedMs, one, atMs) - done(one, atMs) : 0;
  return [
    sum((one) => (one.isAdmitted ? offered(one) : 0)),
    sum((one) => (one.isRefused ? offered(one) : 0)),
    sum((one) => done(one, toMs) - done(one, fromMs)),
    sum((one) => late(one, fromMs)),
    sum((one) => late(one, toMs)),
  ];
}
