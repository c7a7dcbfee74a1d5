import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScheduler, parsePolicy, type Request, type Scheduler } from '../../../scheduler-core/index.ts';

const seed = Number(process.env.EVENSHARE_TEST_SEED ?? 1);
const DISCIPLINES = ['fifo', 'priority', { kind: 'priority', mode: 'weighted' }, 'wfq', 'wf2q', 'drr', 'vtc'];
const TENANTS = ['a', 'b', 'c', '__proto__'];
const CLASSES = ['web', 'batch'];

const policies = fc
  .record({
    discipline: fc.constantFrom(...DISCIPLINES),
    guard: fc.option(fc.constantFrom(0, 20, 200)),
    boost: fc.boolean(),
    budget: fc.boolean(),
    breaker: fc.boolean(),
    slo: fc.boolean(),
    degradation: fc.boolean(),
    sharding: fc.boolean(),
    quota: fc.constantFrom(null, 'refuse', 'hold'),
    totalLimit: fc.integer({ min: 1, max: 40 }),
  })
  .map((drawn) => {
    const hasQueuePerTenant = !['fifo', 'priority'].includes(
      typeof drawn.discipline === 'string' ? drawn.discipline : drawn.discipline.kind,
    );
    const sharding = drawn.sharding && hasQueuePerTenant;
    const mode = drawn.quota === 'hold' && (!hasQueuePerTenant || sharding) ? 'refuse' : drawn.quota;
    return {
      discipline: drawn.discipline,
      cost_unit: 'tokens',
      queue: { total_limit: drawn.totalLimit, per_tenant_limit: 12 },
      default_tenant: mode === null ? {} : { quota: { rate_per_s: 50, burst: 5, mode } },
      tenants: [
        { name: 'a', weight: 3, class: 'web' },
        { name: 'b', class: 'batch' },
      ],
      classes: { web: { weight: 4, target: { ratio: 0.9, wait_below: '50ms' } }, batch: {} },
      ...(drawn.guard === null ? {} : { starvation_guard: { max_wait_ms: drawn.guard + 1, in_flight_ratio: 0.5 } }),
      ...(drawn.boost ? { boost: { after: '100ms', for: '50ms' } } : {}),
      ...(drawn.budget ? { wait_budget: { boost_share_max: 0.3 } } : { wait_budget: null }),
      ...(drawn.breaker ? { circuit_breaker: { failures: 2, cool_down: '100ms' } } : {}),
      ...(drawn.slo ? { slo_weights: { every: '100ms', window: '1s', min_samples: 1 } } : {}),
      ...(sharding ? { shuffle_sharding: { queues: 8, hand_size: 2 } } : {}),
      ...(drawn.degradation
        ? {
            degradation: {
              every: '50ms',
              min_dwell: '0ms',
              levels: [
                { name: 'L1', enter_above: 0.5, leave_below: 0.3, action: 'pause', class: 'batch' },
                { name: 'L2', enter_above: 0.8, leave_below: 0.6, action: 'throttle', class: 'web' },
              ],
            },
          }
        : {}),
    };
  });

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('offer' as const),
        tenant: fc.constantFrom(...TENANTS),
        cost: fc.integer({ min: 0, max: 50 }),
        slots: fc.constantFrom(1, 1, 1, 2, 4),
        budgetMs: fc.constantFrom(0, 30, 300),
        class: fc.constantFrom(undefined, ...CLASSES),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), free: fc.constantFrom(1, 2, 4) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('complete' as const),
        which: fc.nat(),
        cost: fc.integer({ min: 0, max: 80 }),
        status: fc.constantFrom('ok' as const, 'ok' as const, 'error' as const, 'cancelled' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 120 }) }) },
  ),
  { maxLength: 120 },
);

type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps against a plain account of who waits and who is served; returns all that was answered. */
function run(policy: object, drawn: Steps): string[] {
  const waiting = new Map<string, Request>();
  const inFlight = new Map<string, Request>();
  const log: string[] = [];
  let nowMs = 0;
  const scheduler: Scheduler = createScheduler(parsePolicy(policy), {
    nowMs,
    seed: 5,
    slots: 4,
    onRefused: ({ id }) => {
      log.push(`gave up ${id}`);
      expect(waiting.delete(id)).toBe(true);
    },
  });
  drawn.forEach((step, index) => {
    switch (step.do) {
      case 'offer': {
        const request: Request = {
          id: `r${index}`,
          tenant: step.tenant,
          costEstimate: step.cost,
          slots: step.slots,
          ...(step.budgetMs === 0 ? {} : { waitBudgetMs: step.budgetMs }),
          ...(step.class === undefined ? {} : { class: step.class }),
        };
        const { refused } = scheduler.offer(request, nowMs);
        log.push(`offer ${request.id} ${refused}`);
        if (refused === null) waiting.set(request.id, request);
        break;
      }
      case 'take': {
        const dispatch = scheduler.take(nowMs, step.free);
        log.push(`take ${dispatch?.id}`);
        if (dispatch === null) {
          // Work conservation: nobody waits who would fit, but for those whose quota holds them back.
          const holds = JSON.stringify(policy).includes('"hold"');
          if (!holds) for (const { slots } of waiting.values()) expect(slots ?? 1).toBeGreaterThan(step.free);
          break;
        }
        const request = waiting.get(dispatch.id);
        expect(dispatch.request).toBe(request);
        expect(request?.slots).toBeLessThanOrEqual(step.free);
        waiting.delete(dispatch.id);
        if (request !== undefined) inFlight.set(dispatch.id, request);
        break;
      }
      case 'complete': {
        const id = [...inFlight.keys()][step.which % Math.max(1, inFlight.size)];
        if (id === undefined) break;
        expect(scheduler.complete(id, step.cost, step.status, nowMs)).toBe(true);
        expect(scheduler.complete(id, step.cost, step.status, nowMs)).toBe(false);
        inFlight.delete(id);
        break;
      }
      case 'cancel': {
        const id = [...waiting.keys()][step.which % Math.max(1, waiting.size)];
        if (id === undefined) break;
        expect(scheduler.cancel(id, nowMs)).toBe(true);
        waiting.delete(id);
        break;
      }
      case 'wait':
        for (let wakeMs = scheduler.nextWakeMs(); wakeMs <= nowMs + step.ms; wakeMs = scheduler.nextWakeMs()) {
          scheduler.tick(wakeMs);
          // What was due has been done: time goes on.
          expect(scheduler.nextWakeMs()).toBeGreaterThan(wakeMs);
        }
        nowMs += step.ms;
        scheduler.tick(nowMs);
        break;
    }
    const snapshot = scheduler.snapshot(nowMs);
    expect(snapshot.waiting).toBe(waiting.size);
    expect(snapshot.inFlight).toBe(inFlight.size);
    for (const tenant of snapshot.tenants) {
      const own = [...waiting.values()].filter((request) => request.tenant === tenant.tenant);
      expect(tenant.waiting).toBe(own.length);
      expect(tenant.waitingCost).toBe(own.reduce((sum, { costEstimate = 1 }) => sum + costEstimate, 0));
    }
  });
  // In the end everybody gets out: no request is lost in any part.
  for (let round = 0; waiting.size > 0; round++) {
    expect(round).toBeLessThan(10_000);
    nowMs += 100;
    scheduler.tick(nowMs);
    for (let dispatch = scheduler.take(nowMs); dispatch !== null; dispatch = scheduler.take(nowMs)) {
      log.push(`end ${dispatch.id}`);
      expect(waiting.delete(dispatch.id)).toBe(true);
      scheduler.complete(dispatch.id, null, 'ok', nowMs);
    }
  }
  for (const id of inFlight.keys()) scheduler.complete(id, null, 'ok', nowMs);
  expect(scheduler.snapshot(nowMs)).toMatchObject({ waiting: 0, inFlight: 0, promotedInFlight: 0, tenants: [] });
  return log;
}

describe(`a scheduler under any policy (seed ${seed})`, () => {
  it('loses nobody, serves nobody twice, leaves no slot idle that somebody could use, and answers alike every time', () => {
    fc.assert(
      fc.property(policies, steps, (policy, drawn) => {
        expect(run(policy, drawn)).toEqual(run(policy, drawn));
      }),
      { numRuns: 1500, seed },
    );
  });
});
