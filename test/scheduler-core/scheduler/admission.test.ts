import { describe, expect, it } from 'vitest';
import { createScheduler, parsePolicy, type RefusalReason } from '../../../scheduler-core/index.ts';
import { offerMany, schedulerOf, takeIds } from './policies.ts';

describe('what is refused on arrival', () => {
  it('a tenant that the policy does not name, where it says so', () => {
    const scheduler = schedulerOf({ tenants: [{ name: 'known' }], refuse_unknown_tenants: true });
    expect(scheduler.offer({ id: '1', tenant: 'stranger' }, 0)).toEqual({
      refused: 'unknown_tenant',
      retryAfterMs: null,
    });
    expect(scheduler.offer({ id: '2', tenant: 'known' }, 0)).toEqual({ refused: null });
  });

  it('what is over its quota, with the time after which it passes, and then it does', () => {
    const scheduler = schedulerOf({
      cost_unit: 'tokens',
      default_tenant: { quota: { rate_per_s: 10_000, burst: 3000, unit: 'cost' } },
    });
    for (const id of ['1', '2', '3']) {
      expect(scheduler.offer({ id, tenant: 'a', costEstimate: 1000 }, 0)).toEqual({ refused: null });
    }
    expect(scheduler.offer({ id: '4', tenant: 'a', costEstimate: 1000 }, 0)).toEqual({
      refused: 'quota',
      retryAfterMs: 100,
    });
    expect(scheduler.offer({ id: '4', tenant: 'a', costEstimate: 1000 }, 100)).toEqual({ refused: null });
  });

  it('what costs more than its quota can ever cover, for a reason of its own', () => {
    const scheduler = schedulerOf({
      cost_unit: 'tokens',
      default_tenant: { quota: { rate_per_s: 1000, burst: 10, unit: 'cost' } },
    });
    expect(scheduler.offer({ id: '1', tenant: 'a', costEstimate: 11 }, 0)).toEqual({
      refused: 'cost_above_burst',
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
  });

  it('what finds its tenant’s queue full, and no other tenant', () => {
    const scheduler = schedulerOf({ queue: { per_tenant_limit: 2 } });
    offerMany(scheduler, 2, { tenant: 'flood' });
    expect(scheduler.offer({ id: 'x', tenant: 'flood' }, 0)).toEqual({ refused: 'queue_full', retryAfterMs: null });
    expect(scheduler.offer({ id: 'x', tenant: 'small' }, 0)).toEqual({ refused: null });
  });

  it('everybody, once the whole is full', () => {
    const scheduler = schedulerOf({ discipline: 'fifo', queue: { total_limit: 2 } });
    offerMany(scheduler, 2, { tenant: 'flood' });
    expect(scheduler.offer({ id: 'x', tenant: 'small' }, 0).refused).toBe('queue_full');
    scheduler.take(0);
    expect(scheduler.offer({ id: 'x', tenant: 'small' }, 0).refused).toBeNull();
  });

  it('takes nothing of a quota for a request that finds no place', () => {
    const scheduler = schedulerOf({
      queue: { per_tenant_limit: 1 },
      default_tenant: { quota: { rate_per_s: 0, burst: 2 } },
    });
    offerMany(scheduler, 1, { tenant: 'a' });
    for (let index = 0; index < 5; index++)
      expect(scheduler.offer({ id: 'x', tenant: 'a' }, 0).refused).toBe('queue_full');
    scheduler.take(0);
    expect(scheduler.offer({ id: 'x', tenant: 'a' }, 0).refused).toBeNull();
    scheduler.take(0);
    expect(scheduler.offer({ id: 'y', tenant: 'a' }, 0)).toEqual({
      refused: 'quota',
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
  });

  it('a tenant whose calls keep failing, until a few probes have succeeded', () => {
    const scheduler = schedulerOf({ circuit_breaker: { failures: 5, cool_down: '5s', probes: 2, successes: 2 } });
    for (let index = 0; index < 5; index++) {
      scheduler.offer({ id: `${index}`, tenant: 'a' }, index);
      scheduler.take(index);
      scheduler.complete(`${index}`, null, 'error', index);
    }
    expect(scheduler.offer({ id: 'x', tenant: 'a' }, 100)).toEqual({ refused: 'circuit_open', retryAfterMs: 4904 });
    expect(scheduler.offer({ id: 'other', tenant: 'b' }, 100).refused).toBeNull();
    const probes = ['p', 'q', 'r'].map((id) => scheduler.offer({ id, tenant: 'a' }, 5004).refused);
    expect(probes).toEqual([null, null, 'circuit_open']);
    takeIds(scheduler, 5004);
    scheduler.complete('p', null, 'ok', 5010);
    expect(scheduler.snapshot(5010).tenants.find(({ tenant }) => tenant === 'a')?.breaker).toBe('half_open');
    scheduler.complete('q', null, 'ok', 5011);
    offerMany(scheduler, 10, { tenant: 'a', prefix: 'after' }, 5012);
  });

  it('a probe that finds no place, or is cancelled while it waits, gives its ticket back', () => {
    const scheduler = schedulerOf({
      circuit_breaker: { failures: 1, cool_down: '1s', probes: 1, successes: 1 },
      queue: { per_tenant_limit: 1 },
    });
    offerMany(scheduler, 1, { tenant: 'a', prefix: 'first' });
    scheduler.take(0);
    scheduler.offer({ id: 'waits', tenant: 'a' }, 0);
    scheduler.complete('first0', null, 'error', 0);
    expect(scheduler.offer({ id: 'no place', tenant: 'a' }, 1000).refused).toBe('queue_full');
    scheduler.cancel('waits', 1000);
    expect(scheduler.offer({ id: 'probe', tenant: 'a' }, 1000).refused).toBeNull();
    scheduler.cancel('probe', 1000);
    expect(scheduler.offer({ id: 'probe again', tenant: 'a' }, 1000).refused).toBeNull();
  });

  it.each<[string, RefusalReason]>([['realtime', 'degraded']])(
    'every second request of a throttled class (%s)',
    (name, reason) => {
      const scheduler = schedulerOf({
        queue: { total_limit: 10 },
        tenants: [{ name: 't', class: name }],
        degradation: {
          every: '1s',
          levels: [{ name: 'L', enter_above: 0.5, leave_below: 0.2, action: 'throttle', class: name }],
        },
      });
      offerMany(scheduler, 6, { tenant: 'other' });
      scheduler.tick(1000);
      expect(scheduler.snapshot(1000).level).toBe('L');
      const refusals = [0, 1, 2, 3].map((index) => scheduler.offer({ id: `t${index}`, tenant: 't' }, 1000).refused);
      expect(refusals.filter((refused) => refused === reason)).toHaveLength(2);
    },
  );
});

describe('wait budgets', () => {
  /** 1 slot that serves a cost of 1 per ms, as it has seen for two seconds. */
  function warm(policy: object) {
    const refused: string[] = [];
    const scheduler = createScheduler(parsePolicy({ cost_unit: 'service_ms', ...policy }), {
      nowMs: 0,
      onRefused: ({ id }, reason, nowMs) => refused.push(`${id} ${reason} ${nowMs}`),
    });
    for (let nowMs = 0; nowMs < 2000; nowMs += 10) {
      scheduler.offer({ id: `warm${nowMs}`, tenant: 'warm', costEstimate: 10 }, nowMs);
      scheduler.take(nowMs);
      scheduler.complete(`warm${nowMs}`, 10, 'ok', nowMs + 10);
    }
    return { scheduler, refused };
  }

  it('refuses at once what could not be served in time, and says when it could', () => {
    const { scheduler } = warm({ discipline: 'fifo', wait_budget: {} });
    offerMany(scheduler, 10, { tenant: 'flood', costEstimate: 100 }, 2000);
    const offered = scheduler.offer({ id: 'late', tenant: 'a', costEstimate: 1, waitBudgetMs: 400 }, 2000);
    expect(offered).toEqual({ refused: 'wait_budget', retryAfterMs: 600 });
    expect(
      scheduler.offer({ id: 'patient', tenant: 'a', costEstimate: 1, waitBudgetMs: 1500 }, 2000).refused,
    ).toBeNull();
  });

  it('knows what the discipline would do: under fair queueing a flood of others is not in the way', () => {
    const { scheduler } = warm({ discipline: 'wfq', wait_budget: {} });
    offerMany(scheduler, 10, { tenant: 'flood', costEstimate: 100 }, 2000);
    expect(scheduler.offer({ id: 'a', tenant: 'a', costEstimate: 1, waitBudgetMs: 400 }, 2000).refused).toBeNull();
  });

  it('is pessimistic at once when a server leaves', () => {
    const { scheduler } = warm({ discipline: 'fifo', wait_budget: {} });
    offerMany(scheduler, 3, { tenant: 'flood', costEstimate: 100 }, 2000);
    const ask = (id: string) => scheduler.offer({ id, tenant: 'a', costEstimate: 1, waitBudgetMs: 400 }, 2000).refused;
    expect(ask('before')).toBeNull();
    scheduler.setSlots(0.5, 2000);
    expect(ask('after')).toBe('wait_budget');
  });

  it('lets in ahead of its turn what would be late, while the budget of boosts lasts', () => {
    const { scheduler } = warm({ discipline: 'fifo', wait_budget: { boost_share_max: 1, per_tenant_boost_hourly: 1 } });
    offerMany(scheduler, 10, { tenant: 'flood', costEstimate: 100 }, 2000);
    const ask = (id: string) => scheduler.offer({ id, tenant: 'a', costEstimate: 1, waitBudgetMs: 400 }, 2000).refused;
    expect([ask('first'), ask('second')]).toEqual([null, 'wait_budget']);
    const dispatch = scheduler.take(2001);
    expect(dispatch).toMatchObject({ id: 'first', promoted: true });
  });

  it('gives up what has outlived its budget, at that moment or when it would be its turn', () => {
    const { scheduler, refused } = warm({ discipline: 'fifo', wait_budget: { predict: false } });
    offerMany(scheduler, 2, { tenant: 'a', waitBudgetMs: 500 }, 2000);
    expect(scheduler.nextWakeMs()).toBe(2500);
    expect(scheduler.take(2499)?.id).toBe('a0');
    expect(scheduler.take(2500)).toBeNull();
    expect(refused).toEqual(['a1 wait_budget 2500']);
    expect(scheduler.complete('a1', 1, 'ok', 2500)).toBe(false);
    expect(scheduler.nextWakeMs()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('quotas that hold back', () => {
  const policy = { default_tenant: { quota: { rate_per_s: 10, burst: 1, mode: 'hold' } }, discipline: 'drr' };

  it('takes the tenant out of turn until its bucket has refilled, and gains it nothing', () => {
    const scheduler = schedulerOf(policy);
    offerMany(scheduler, 3, { tenant: 'a' });
    expect(takeIds(scheduler, 0)).toEqual(['a0']);
    expect(scheduler.nextWakeMs()).toBe(100);
    expect(takeIds(scheduler, 99)).toEqual([]);
    expect(takeIds(scheduler, 100)).toEqual(['a1']);
    expect(takeIds(scheduler, 1000)).toEqual(['a2']);
  });

  it('does not hold up anybody else', () => {
    const scheduler = schedulerOf({ ...policy, tenants: [{ name: 'free', quota: null }] });
    offerMany(scheduler, 5, { tenant: 'a' });
    offerMany(scheduler, 5, { tenant: 'free' });
    expect(takeIds(scheduler, 0)).toHaveLength(6);
  });

  it('is not got round by the starvation guard', () => {
    const scheduler = schedulerOf({ ...policy, starvation_guard: { max_wait: '10ms', in_flight_ratio: 1 } });
    offerMany(scheduler, 3, { tenant: 'a' });
    takeIds(scheduler, 0);
    expect(takeIds(scheduler, 99)).toEqual([]);
  });

  it.each(['fifo', 'priority'])('needs a queue per tenant: %s has none', (discipline) => {
    expect(() => schedulerOf({ ...policy, discipline })).toThrowError(expect.objectContaining({ code: 'EVS_POLICY' }));
  });
});
