import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import {
  type EndedRequest,
  EventLoop,
  noisyNeighbour,
  noisyNeighbourPolicy,
  type SimulatedRequest,
} from '../../../scheduler-core/simulate/index.ts';

function request(id: string, arrivedAtMs: number, serviceMs: number, slots = 1): SimulatedRequest {
  return { id, tenant: 'a', arrivedAtMs, costEstimate: serviceMs, serviceMs, slots };
}

function fifo(totalLimit = 1000): Policy {
  return parsePolicy({ name: 'fifo', discipline: 'fifo', queue: { total_limit: totalLimit } });
}

function fifoLoop(arrivals: Iterable<SimulatedRequest>, slots: number, totalLimit = 1000): EventLoop {
  return new EventLoop({ arrivals, policy: fifo(totalLimit), slots });
}

function times(ended: Iterable<EndedRequest>): unknown[] {
  return Array.from(ended, ({ request: { id }, dispatchedAtMs, endedAtMs }) => [id, dispatchedAtMs, endedAtMs]);
}

describe('event loop', () => {
  it('serves at once while slots are free, then as they become free', () => {
    const loop = fifoLoop([request('1', 0, 10), request('2', 1, 3), request('3', 2, 5), request('4', 20, 1)], 2);
    expect(times(loop.runToEnd())).toEqual([
      ['2', 1, 4],
      ['3', 4, 9],
      ['1', 0, 10],
      ['4', 20, 21],
    ]);
  });

  it('reports all that is known of a served request and of a refused one', () => {
    const requests = [request('served', 0, 10), request('waits', 1, 1), request('refused', 2, 7)];
    const [refused, served] = [...fifoLoop(requests, 1, 1).runToEnd()];
    expect(refused).toEqual({
      request: requests[2],
      outcome: 'rejected',
      reason: 'queue_full',
      dispatchedAtMs: null,
      endedAtMs: 2,
      cost: 7,
      status: null,
      promoted: false,
    });
    expect(served).toEqual({
      request: requests[0],
      outcome: 'served',
      reason: null,
      dispatchedAtMs: 0,
      endedAtMs: 10,
      cost: 10,
      status: 'ok',
      promoted: false,
    });
    expect(served?.request).toBe(requests[0]);
  });

  it('frees a slot before an arrival of the same instant asks for it', () => {
    const loop = fifoLoop([request('1', 0, 10), request('2', 1, 5), request('3', 10, 5)], 1, 1);
    expect(times(loop.runToEnd())).toEqual([
      ['1', 0, 10],
      ['2', 10, 15],
      ['3', 15, 20],
    ]);
  });

  it('ends requests of one instant in order of dispatch', () => {
    const loop = fifoLoop([request('b', 0, 5), request('a', 1, 4), request('c', 2, 3)], 3);
    expect(times(loop.runToEnd()).map((row) => (row as unknown[])[0])).toEqual(['b', 'a', 'c']);
  });

  it('holds a request of several slots back until as many are free, and it alone', () => {
    const loop = fifoLoop([request('1', 0, 10), request('wide', 1, 5, 2), request('3', 2, 1)], 2);
    expect(times(loop.runToEnd())).toEqual([
      ['3', 2, 3],
      ['1', 0, 10],
      ['wide', 10, 15],
    ]);
  });

  it('takes no request that could never be served, and none out of order', () => {
    const invariant = expect.objectContaining({ code: 'EVS_INVARIANT' });
    expect(() => [...fifoLoop([request('1', 0, 1, 3)], 2).runToEnd()]).toThrowError(invariant);
    expect(() => [...fifoLoop([request('1', 5, 1), request('2', 4, 1)], 2).runToEnd()]).toThrowError(invariant);
  });

  it('includes the instant it is told to go to, and does nothing when told to go back', () => {
    const loop = fifoLoop([request('1', 0, 10), request('2', 3, 10)], 1);
    expect(loop.advanceTo(9)).toEqual([]);
    expect(times(loop.advanceTo(10))).toEqual([['1', 0, 10]]);
    expect(loop.advanceTo(5)).toEqual([]);
    expect(times(loop.advanceTo(100))).toEqual([['2', 10, 20]]);
  });

  it('shows what waits and what is being served, in order of arrival', () => {
    const loop = fifoLoop([request('1', 0, 10), request('2', 3, 10), request('3', 30, 1)], 1);
    loop.advanceTo(5);
    const open = () => [...loop.openRequests()].map(({ request: { id }, dispatchedAtMs }) => [id, dispatchedAtMs]);
    expect(open()).toEqual([
      ['1', 0],
      ['2', null],
    ]);
    loop.advanceTo(12);
    expect(open()).toEqual([['2', 10]]);
    loop.advanceTo(20);
    expect(open()).toEqual([]);
  });

  it('has the same story to tell in steps of any length as in one run', () => {
    const build = () =>
      new EventLoop({
        arrivals: noisyNeighbour({ seed: 4, durationMs: 3000, bursts: [{ fromMs: 500, toMs: 2000 }] }),
        policy: noisyNeighbourPolicy('drr'),
        slots: 8,
      });
    const whole = [...build().runToEnd()];
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 900, noNaN: true }), { maxLength: 30 }), (stepsMs) => {
        const loop = build();
        let nowMs = 0;
        const pieces: EndedRequest[] = [];
        for (const stepMs of stepsMs) {
          nowMs += stepMs;
          pieces.push(...loop.advanceTo(nowMs));
        }
        expect([...pieces, ...loop.runToEnd()]).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
});
