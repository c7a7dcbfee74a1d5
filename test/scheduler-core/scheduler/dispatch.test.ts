import { describe, expect, it } from 'vitest';
import type { Scheduler } from '../../../scheduler-core/index.ts';
import { offerMany, schedulerOf, takeIds } from './policies.ts';

const FAIR = ['wfq', 'wf2q', 'drr', 'vtc'];

/** What each tenant was served while the scheduler was asked so many times, one at a time. */
function serve(scheduler: Scheduler, times: number, nowMs: number): Map<string, number> {
  const served = new Map<string, number>();
  for (let index = 0; index < times; index++) {
    const dispatch = scheduler.take(nowMs);
    if (dispatch === null) break;
    served.set(dispatch.tenant, (served.get(dispatch.tenant) ?? 0) + 1);
    scheduler.complete(dispatch.id, null, 'ok', nowMs);
  }
  return served;
}

describe('starvation guard', () => {
  it('promotes from wait ≥ max_wait on, not before', () => {
    const scheduler = schedulerOf({
      discipline: { kind: 'priority', order: ['first', 'last'] },
      starvation_guard: { max_wait: '200ms', in_flight_ratio: 1 },
    });
    offerMany(scheduler, 1, { tenant: 't', class: 'last', prefix: 'starved' });
    offerMany(scheduler, 9, { tenant: 't', class: 'first', prefix: 'first' }, 100);
    expect(scheduler.take(199.9)).toMatchObject({ id: 'first0', promoted: false });
    expect(scheduler.take(200)).toMatchObject({ id: 'starved0', promoted: true, waitedMs: 200 });
    expect(scheduler.snapshot(200).promotions).toBe(1);
  });

  it('takes the longest wait for its weight first, however long the waits are: ages do not plateau', () => {
    const scheduler = schedulerOf({
      starvation_guard: { max_wait: '1ms', in_flight_ratio: 1 },
      tenants: [{ name: 'heavy', weight: 10 }, { name: 'light' }],
    });
    offerMany(scheduler, 1, { tenant: 'heavy' }, 0);
    offerMany(scheduler, 1, { tenant: 'light' }, 8_000_000);
    // 10⁷ ÷ 10 is less than 2·10⁶ ÷ 1.
    expect(takeIds(scheduler, 10_000_000)).toEqual(['light0', 'heavy0']);
  });

  it('leaves the order alone once the budget of promotions in flight is spent', () => {
    const scheduler = schedulerOf({
      discipline: { kind: 'priority', order: ['first', 'last'] },
      starvation_guard: { max_wait: '1ms', in_flight_ratio: 0.1 },
    });
    offerMany(scheduler, 50, { tenant: 't', class: 'last', prefix: 'last' });
    offerMany(scheduler, 50, { tenant: 't', class: 'first', prefix: 'first' });
    const taken = takeIds(scheduler, 1000, 40);
    const promoted = taken.filter((id) => id.startsWith('last')).length;
    expect(promoted).toBeGreaterThan(0);
    expect(promoted).toBeLessThanOrEqual(4);
  });

  it('passes over a tenant that has used up its promotions, and takes the next', () => {
    const scheduler = schedulerOf({
      discipline: { kind: 'priority', order: ['first', 'last'] },
      starvation_guard: { max_wait: '1ms', in_flight_ratio: 1, per_tenant_hourly: 2 },
    });
    offerMany(scheduler, 5, { tenant: 'a', class: 'last' });
    offerMany(scheduler, 5, { tenant: 'b', class: 'last' });
    offerMany(scheduler, 5, { tenant: 'c', class: 'first' }, 10);
    expect(takeIds(scheduler, 10, 5)).toEqual(['a0', 'a1', 'b0', 'b1', 'c0']);
  });

  it.each(FAIR)('%s: who is promoted pays for it', (discipline) => {
    const scheduler = schedulerOf({
      discipline,
      starvation_guard: { max_wait: '1s', in_flight_ratio: 1, per_tenant_hourly: 10 },
    });
    offerMany(scheduler, 60, { tenant: 'old' }, 0);
    offerMany(scheduler, 60, { tenant: 'new' }, 999);
    const served = serve(scheduler, 60, 1000);
    expect(scheduler.snapshot(1000).promotions).toBe(10);
    expect(Math.abs((served.get('old') ?? 0) - 30)).toBeLessThanOrEqual(1);
  });
});

describe('boost', () => {
  it('lets a class go first for its time once it has waited unserved for long enough', () => {
    const scheduler = schedulerOf({
      discipline: { kind: 'priority', order: ['first', 'last'] },
      classes: { first: {}, last: {} },
      boost: { after: '60s', for: '30s' },
    });
    offerMany(scheduler, 200, { tenant: 't', class: 'last', prefix: 'last' });
    offerMany(scheduler, 200, { tenant: 't', class: 'first', prefix: 'first' });
    expect(scheduler.take(59_999)?.id).toBe('first0');
    expect(scheduler.take(60_000)?.id).toBe('last0');
    expect(scheduler.snapshot(60_000).classes.find((each) => each.class === 'last')?.boosted).toBe(true);
    expect(scheduler.take(89_999)?.id).toBe('last1');
    expect(scheduler.take(90_000)?.id).toBe('first1');
  });
});

describe('a paused class', () => {
  const policy = {
    queue: { total_limit: 10 },
    tenants: [
      { name: 'batch', class: 'batch' },
      { name: 'web', class: 'web' },
    ],
    degradation: {
      every: '1s',
      min_dwell: '0ms',
      levels: [{ name: 'L1', enter_above: 0.7, leave_below: 0.5, action: 'pause', class: 'batch' }],
    },
  };

  it('waits while anything else does, is served when nothing else waits, and the level recovers by itself', () => {
    const scheduler = schedulerOf(policy);
    offerMany(scheduler, 7, { tenant: 'batch' });
    offerMany(scheduler, 2, { tenant: 'web' });
    scheduler.tick(1000);
    expect(scheduler.snapshot(1000).level).toBe('L1');
    expect(takeIds(scheduler, 1000, 2)).toEqual(['web0', 'web1']);
    expect(takeIds(scheduler, 1000, 3)).toEqual(['batch0', 'batch1', 'batch2']);
    scheduler.tick(2000);
    expect(scheduler.snapshot(2000).level).toBeNull();
    offerMany(scheduler, 1, { tenant: 'web', prefix: 'later' }, 2000);
    expect(takeIds(scheduler, 2000)[0]).toBe('batch3');
  });

  it('is what a light mode is not: that class is served, and marked', () => {
    const scheduler = schedulerOf({
      ...policy,
      degradation: {
        ...policy.degradation,
        levels: [{ ...policy.degradation.levels[0], action: 'light_mode', class: 'web' }],
      },
    });
    offerMany(scheduler, 7, { tenant: 'batch' });
    offerMany(scheduler, 2, { tenant: 'web' });
    scheduler.tick(1000);
    const modes = new Map<string, string>();
    for (let dispatch = scheduler.take(1000); dispatch !== null; dispatch = scheduler.take(1000)) {
      modes.set(dispatch.tenant, dispatch.mode);
    }
    expect(Object.fromEntries(modes)).toEqual({ batch: 'normal', web: 'light' });
  });
});

describe('adaptive admission', () => {
  it('scales the refill of quotas with the load, and back', () => {
    const scheduler = schedulerOf({
      queue: { total_limit: 10 },
      default_tenant: { quota: { rate_per_s: 1000, burst: 10 } },
      adaptive_admission: { every: '1s', target_load_ratio: 0.5, gain: 1, least_factor: 0.1 },
    });
    offerMany(scheduler, 10, { tenant: 'a' });
    scheduler.tick(1000);
    expect(scheduler.snapshot(1000).refillFactor).toBe(0.5);
    takeIds(scheduler, 1000);
    scheduler.tick(2000);
    expect(scheduler.snapshot(2000).refillFactor).toBe(1);
  });
});

describe('settlement', () => {
  it.each(FAIR)('%s: who always costs three times its estimate gets a third of the requests', (discipline) => {
    const shares = [true, false].map((settle) => {
      const scheduler = schedulerOf({ discipline, cost_unit: 'tokens', settle });
      offerMany(scheduler, 2000, { tenant: 'liar', costEstimate: 100 });
      offerMany(scheduler, 2000, { tenant: 'honest', costEstimate: 300 });
      const cost = { liar: 0, honest: 0 };
      for (let index = 0; index < 600; index++) {
        const dispatch = scheduler.take(0);
        if (dispatch === null) break;
        cost[dispatch.tenant === 'liar' ? 'liar' : 'honest'] += 300;
        scheduler.complete(dispatch.id, 300, 'ok', 0);
      }
      return cost.liar / (cost.liar + cost.honest);
    });
    expect(Math.abs((shares[0] ?? 0) - 0.5)).toBeLessThan(0.02);
    // Without settlement the estimate is believed: three times as many requests.
    expect(shares[1]).toBeGreaterThan(0.7);
  });

  it.each(FAIR)('%s: what a stream charges as it goes is not charged again at its end', (discipline) => {
    const scheduler = schedulerOf({ discipline, cost_unit: 'tokens' });
    offerMany(scheduler, 500, { tenant: 'stream', costEstimate: 0 });
    offerMany(scheduler, 500, { tenant: 'block', costEstimate: 100 });
    const served = { stream: 0, block: 0 };
    for (let index = 0; index < 400; index++) {
      const dispatch = scheduler.take(0);
      if (dispatch === null) break;
      if (dispatch.tenant === 'stream') for (let chunk = 0; chunk < 10; chunk++) scheduler.charge(dispatch.id, 10, 0);
      served[dispatch.tenant === 'stream' ? 'stream' : 'block']++;
      scheduler.complete(dispatch.id, 100, 'ok', 0);
    }
    expect(Math.abs(served.stream - served.block)).toBeLessThanOrEqual(4);
  });

  it('settles each request once, and knows nobody who never came', () => {
    const scheduler = schedulerOf({});
    offerMany(scheduler, 1, { tenant: 'a' });
    expect(scheduler.complete('a0', 1, 'ok', 0)).toBe(false);
    scheduler.take(0);
    expect(scheduler.complete('a0', 1, 'ok', 1)).toBe(true);
    expect(scheduler.complete('a0', 1, 'ok', 2)).toBe(false);
    expect(scheduler.complete('nobody', 1, 'ok', 2)).toBe(false);
    expect(scheduler.cancel('a0', 2)).toBe(false);
  });

  it('takes no id twice while it waits or is served', () => {
    const scheduler = schedulerOf({});
    offerMany(scheduler, 1, { tenant: 'a' });
    expect(() => scheduler.offer({ id: 'a0', tenant: 'b' }, 0)).toThrowError(
      expect.objectContaining({ code: 'EVS_INVARIANT' }),
    );
    scheduler.take(0);
    scheduler.complete('a0', 1, 'ok', 0);
    expect(scheduler.offer({ id: 'a0', tenant: 'b' }, 0).refused).toBeNull();
  });
});

describe('weights', () => {
  it.each(['wfq', 'wf2q', 'vtc'])('%s: a weight set at run time holds for later arrivals', (discipline) => {
    const scheduler = schedulerOf({ discipline });
    offerMany(scheduler, 10, { tenant: 'a', prefix: 'before' });
    offerMany(scheduler, 100, { tenant: 'b' });
    scheduler.setWeight('a', 4, 0);
    offerMany(scheduler, 100, { tenant: 'a', prefix: 'after' });
    expect(Math.abs((serve(scheduler, 20, 0).get('a') ?? 0) - 10)).toBeLessThanOrEqual(1);
    expect(serve(scheduler, 40, 0).get('a')).toBeGreaterThanOrEqual(30);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a weight of %s is a mistake', (weight) => {
    expect(() => schedulerOf({}).setWeight('a', weight, 0)).toThrowError(
      expect.objectContaining({ code: 'EVS_POLICY' }),
    );
  });
});

describe('shuffle sharding', () => {
  it('keeps the flood of one tenant out of most others’ way', () => {
    const scheduler = schedulerOf({ discipline: 'drr', shuffle_sharding: { queues: 64, hand_size: 4 } });
    offerMany(scheduler, 2000, { tenant: 'flood' });
    for (let tenant = 0; tenant < 50; tenant++) offerMany(scheduler, 1, { tenant: `small${tenant}-` });
    const first = takeIds(scheduler, 0, 60).filter((id) => id.startsWith('small'));
    expect(first.length).toBeGreaterThan(45);
  });

  it('which one queue for all fails', () => {
    const scheduler = schedulerOf({ discipline: 'fifo' });
    offerMany(scheduler, 2000, { tenant: 'flood' });
    for (let tenant = 0; tenant < 50; tenant++) offerMany(scheduler, 1, { tenant: `small${tenant}-` });
    expect(takeIds(scheduler, 0, 60).filter((id) => id.startsWith('small'))).toEqual([]);
  });
});
