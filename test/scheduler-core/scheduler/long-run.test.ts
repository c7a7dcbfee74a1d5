import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../scheduler-core/index.ts';
import { schedulerOf } from './policies.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const TENANTS = 100;
const WAITING_PER_TENANT = 3;
const LARGEST_COST = 20;
const QUANTUM = 10;
/** In all ten million in a test run; `npm run bench -- core` makes a hundred million. */
const DECISIONS_EACH = Number(process.env.EVENSHARE_TEST_DECISIONS ?? 10_000_000) / 4;
const MIB = 2 ** 20;

describe(`${DECISIONS_EACH} decisions`, () => {
  it.each([
    { discipline: 'wfq' },
    { discipline: 'wf2q' },
    { discipline: { kind: 'drr', quantum: QUANTUM } },
    { discipline: 'vtc' },
  ])(
    'of $discipline serve tenants that always wait alike to the last, and take no more memory at the end',
    ({ discipline }) => {
      const scheduler = schedulerOf({ discipline, cost_unit: 'service_ms' });
      const served = new Float64Array(TENANTS);
      const requests: (Request & { readonly number: number; readonly costEstimate: number })[] = [];
      for (let index = 0; index < TENANTS * WAITING_PER_TENANT; index++) {
        const number = index % TENANTS;
        requests.push({
          id: `r${index}`,
          tenant: `t${number}`,
          number,
          costEstimate: 1 + ((index * 7) % LARGEST_COST),
        });
      }
      for (const request of requests) scheduler.offer(request, 0);
      let heapBytes = 0;
      for (let decision = 0; decision < DECISIONS_EACH; decision++) {
        const dispatch = scheduler.take(decision);
        const request = dispatch === null ? undefined : requests[Number(dispatch.id.slice(1))];
        if (request === undefined) throw new Error('somebody always waits');
        served[request.number] = (served[request.number] ?? 0) + request.costEstimate;
        scheduler.complete(request.id, request.costEstimate, 'ok', decision);
        scheduler.offer(request, decision);
        if (decision === Math.floor(DECISIONS_EACH / 10)) {
          collectGarbage();
          heapBytes = process.memoryUsage().heapUsed;
        }
      }
      collectGarbage();
      expect(process.memoryUsage().heapUsed - heapBytes).toBeLessThan(2 * MIB);
      // The bounds of the disciplines, in exact integers: no drift, however long they run.
      expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(QUANTUM + 2 * LARGEST_COST);
    },
  );

  it('are followed by a million tenants that come once, of whom nothing stays', () => {
    const scheduler = schedulerOf({
      discipline: 'drr',
      default_tenant: { quota: { rate_per_s: 1000, burst: 1 } },
      circuit_breaker: {},
      starvation_guard: { max_wait: '1s' },
    });
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let visitor = 0; visitor < 1_000_000; visitor++) {
      scheduler.offer({ id: `v${visitor}`, tenant: `visitor ${visitor}` }, visitor);
      const dispatch = scheduler.take(visitor);
      if (dispatch !== null) scheduler.complete(dispatch.id, null, 'ok', visitor);
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * MIB);
    expect(scheduler.snapshot(1_000_000).tenants).toEqual([]);
  });
});
