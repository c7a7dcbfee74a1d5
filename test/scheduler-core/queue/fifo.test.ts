import { describe, expect, it } from 'vitest';
import { FifoQueue } from '../../../scheduler-core/queue/index.ts';
import { drain, request } from './requests.ts';

describe('fifo', () => {
  it('serves in order of arrival, whoever asks', () => {
    const queue = new FifoQueue({ totalLimit: 10 });
    const requests = [request('b', 1), request('a', 9), request('b', 2), request('c', 0)];
    for (const each of requests) expect(queue.offer(each)).toEqual({ refused: null });
    expect(drain(queue)).toEqual(requests);
    expect(queue.size).toBe(0);
  });

  it('refuses every tenant once one has filled it, and takes again when one has left', () => {
    const queue = new FifoQueue({ totalLimit: 2 });
    queue.offer(request('flood', 1));
    queue.offer(request('flood', 2));
    expect(queue.offer(request('small', 1))).toEqual({ refused: 'queue_full' });
    expect(queue.size).toBe(2);
    queue.take();
    expect(queue.offer(request('small', 1))).toEqual({ refused: null });
  });

  it.each([0, -1, 1.5, Number.NaN])('calls a total limit of %s a mistake in the policy', (totalLimit) => {
    expect(() => new FifoQueue({ totalLimit })).toThrowError(expect.objectContaining({ code: 'EVS_POLICY' }));
  });
});
