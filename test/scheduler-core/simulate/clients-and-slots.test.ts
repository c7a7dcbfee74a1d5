import { describe, expect, it } from 'vitest';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import {
  type Client,
  EventLoop,
  type EventLoopOptions,
  type SimulatedRequest,
} from '../../../scheduler-core/simulate/index.ts';

const FIFO = parsePolicy({ name: 'fifo', discipline: 'fifo' });

function request(
  id: string,
  arrivedAtMs: number,
  serviceMs: number,
  more: Partial<SimulatedRequest> = {},
): SimulatedRequest {
  return { id, tenant: 'a', arrivedAtMs, costEstimate: serviceMs, serviceMs, slots: 1, ...more };
}

function client(of: Partial<Client>): Client {
  return { givesUpAfterMs: null, retry: null, failing: [], ...of };
}

function story(arrivals: readonly SimulatedRequest[], options: Partial<EventLoopOptions> = {}): unknown[] {
  const loop = new EventLoop({ arrivals, policy: FIFO, slots: 1, ...options });
  return Array.from(loop.runToEnd(), ({ request: { id }, outcome, reason, dispatchedAtMs, endedAtMs, status }) => [
    id,
    outcome === 'served' && status !== 'ok' ? status : (reason ?? outcome),
    dispatchedAtMs,
    endedAtMs,
  ]);
}

describe('clients', () => {
  it('that give up leave the queue then, and only then; one that is served at that instant stays', () => {
    const patient = client({ givesUpAfterMs: 10 });
    const arrivals = [
      request('first', 0, 10),
      request('served', 0, 20, { client: patient }),
      request('gives up', 5, 1, { client: patient }),
      request('never', 6, 1),
    ];
    expect(story(arrivals)).toEqual([
      ['first', 'served', 0, 10],
      ['gives up', 'given_up', null, 15],
      ['served', 'served', 10, 30],
      ['never', 'served', 30, 31],
    ]);
  });

  const limited = parsePolicy({ name: 'limited', discipline: 'fifo', queue: { total_limit: 1 } });
  const retry = { maxAttempts: 3, backoffMs: 10, backoffFactor: 2, jitterRatio: 0, honoursRetryAfter: true };

  it('that retry come again after longer and longer delays, so often and no more', () => {
    const arrivals = [
      request('serving', 0, 1000),
      request('waiting', 1, 5),
      request('r', 2, 5, { client: client({ retry }) }),
    ];
    expect(story(arrivals, { policy: limited })).toEqual([
      ['r', 'queue_full', null, 2],
      ['r~2', 'queue_full', null, 12],
      ['r~3', 'queue_full', null, 32],
      ['serving', 'served', 0, 1000],
      ['waiting', 'served', 1000, 1005],
    ]);
  });

  it('that were told how long to wait wait so long, unless they do not listen', () => {
    const quota = parsePolicy({
      name: 'quota',
      discipline: 'fifo',
      default_tenant: { quota: { rate_per_s: 10, burst: 1 } },
    });
    const secondAttempt = (honoursRetryAfter: boolean): unknown => {
      const plan = client({ retry: { ...retry, honoursRetryAfter } });
      return story([request('0', 0, 1), request('r', 0, 1, { client: plan })], { policy: quota }).find(
        (row) => (row as unknown[])[0] === 'r~2',
      );
    };
    expect(secondAttempt(true)).toEqual(['r~2', 'served', 100, 101]);
    expect(secondAttempt(false)).toEqual(['r~2', 'quota', null, 10]);
  });

  it('spread their retries by chance of their own: the same whatever else there is', () => {
    const plan = client({ retry: { ...retry, jitterRatio: 0.5 } });
    const r = request('r', 2, 5, { client: plan });
    const delays = (others: readonly SimulatedRequest[]): unknown[] =>
      story([request('serving', 0, 1000), request('waiting', 1, 5), r, ...others], { policy: limited, seed: 4 }).filter(
        (row) => String((row as unknown[])[0]).startsWith('r'),
      );
    const others = [request('x', 3, 1, { client: plan }), request('y', 4, 1, { client: plan })];
    expect(delays(others)).toEqual(delays([]));
    expect(delays([])).toHaveLength(3);
  });

  it('whose calls fail in a span fail by when they went to a server', () => {
    const failing = client({ failing: [{ fromMs: 10, toMs: 20 }] });
    const arrivals = [0, 5, 15, 18].map((atMs) => request(String(atMs), atMs, 5, { client: failing }));
    expect(story(arrivals)).toEqual([
      ['0', 'served', 0, 5],
      ['5', 'served', 5, 10],
      ['15', 'error', 15, 20],
      ['18', 'served', 20, 25],
    ]);
  });
});

describe('slots', () => {
  it('that leave finish what they serve, and those that come serve at once', () => {
    const arrivals = [request('1', 0, 10), request('2', 0, 10), request('3', 1, 10), request('4', 1, 10)];
    const slotChanges = [
      { atMs: 5, slots: 1 },
      { atMs: 15, slots: 3 },
    ];
    expect(story(arrivals, { slots: 2, slotChanges })).toEqual([
      ['1', 'served', 0, 10],
      ['2', 'served', 0, 10],
      ['3', 'served', 10, 20],
      ['4', 'served', 15, 25],
    ]);
  });

  it('are accounted for: busy, there, and idle although something waits that fits', () => {
    const arrivals = [request('wide', 0, 10, { slots: 2 }), request('1', 0, 4), request('2', 12, 4)];
    const loop = new EventLoop({ arrivals, policy: FIFO, slots: 3, slotChanges: [{ atMs: 10, slots: 1 }] });
    loop.advanceTo(20);
    expect(loop.usage()).toEqual({ busySlotMs: 20 + 4 + 4, availableSlotMs: 30 + 10, idleWhileWaitingSlotMs: 0 });
  });

  it('of an idle worker serve the queue of another where they may steal, and idle while it waits where not', () => {
    const arrivals = Array.from({ length: 4 }, (_, n) => request(String(n), 0, 10));
    const runWith = (stealing: boolean) => {
      const loop = new EventLoop({ arrivals, policy: FIFO, slots: 2, workers: { count: 2, stealing } });
      const ended = [...loop.runToEnd()];
      return { endMs: ended.at(-1)?.endedAtMs, idle: loop.usage().idleWhileWaitingSlotMs };
    };
    expect(runWith(true)).toEqual({ endMs: 20, idle: 0 });
    expect(runWith(false)).toEqual({ endMs: 40, idle: 30 });
  });
});

describe('one instant', () => {
  const drr: Policy = parsePolicy({ name: 'wfq', cost_unit: 'service_ms', discipline: 'wfq', weights: { b: 10 } });

  it('is known as a whole before anybody is chosen', () => {
    const arrivals = [request('a', 0, 10), request('b', 0, 10, { tenant: 'b' })];
    expect(story(arrivals, { policy: drr })[0]).toEqual(['b', 'served', 0, 10]);
  });

  it('has room for as many as can be served at once beyond the queue limit', () => {
    const limited = parsePolicy({ name: 'limited', discipline: 'fifo', queue: { total_limit: 2 } });
    const arrivals = Array.from({ length: 6 }, (_, n) => request(String(n), 0, 10));
    const refused = story(arrivals, { policy: limited, slots: 3 }).filter(
      (row) => (row as unknown[])[1] === 'queue_full',
    );
    expect(refused).toEqual([['5', 'queue_full', null, 0]]);
  });
});
