import { describe, expect, it } from 'vitest';
import { cancelledLine, endedLine, poolLine, waitingLine } from '../../../cli/demo/decision-lines.ts';
import { parseEventText } from '../../../ingest/event/parse-event.ts';
import type { RefusedRequest, ServedRequest, SimulatedRequest } from '../../../scheduler-core/simulate/index.ts';

const common = {
  schema: 'evenshare.decision.v1',
  request_id: 'drr-1-x-9',
  pool: 'demo',
  tenant: 'heavy',
  class: 'interactive',
  arrived_at: 1000,
  slots: 1,
  gateway: 'demo-gateway',
};
const request: SimulatedRequest = {
  id: 'drr-1-x-9',
  tenant: 'heavy',
  arrivedAtMs: 1000.9,
  costEstimate: 5,
  serviceMs: 5,
  slots: 1,
};

function served(times: { arrivedAtMs: number; dispatchedAtMs: number; endedAtMs: number }): ServedRequest {
  const { arrivedAtMs, ...ended } = times;
  const known = { outcome: 'served', reason: null, cost: 5, status: 'ok', promoted: false } as const;
  return { request: { ...request, arrivedAtMs }, ...known, ...ended };
}

function refused(of: SimulatedRequest): RefusedRequest {
  const known = { outcome: 'rejected', reason: 'queue_full', dispatchedAtMs: null, status: null } as const;
  return { request: of, ...known, endedAtMs: of.arrivedAtMs, cost: 5, promoted: false };
}

function parse(line: string): unknown {
  expect(line.endsWith('\n')).toBe(true);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  return JSON.parse(line);
}

describe('lines of the demo', () => {
  it('say of a served request when it came, went in and was done, whole milliseconds in order', () => {
    const times = { arrivedAtMs: 1000.9, dispatchedAtMs: 1000.95, endedAtMs: 1006.2 };
    expect(parse(endedLine(served(times)))).toEqual({
      ...common,
      outcome: 'admitted',
      dispatched_at: 1000,
      completed_at: 1006,
      status: 'ok',
    });
  });

  it('say of a refused request why, and no times that it never had', () => {
    expect(parse(endedLine(refused(request)))).toEqual({
      ...common,
      outcome: 'rejected',
      reason: 'queue_full',
    });
  });

  it('say of a waiting request that it was admitted, with the identity of its later line', () => {
    expect(parse(waitingLine(request))).toEqual({ ...common, outcome: 'admitted' });
  });

  it('say of a request given up when that was, and that it was never dispatched', () => {
    expect(parse(cancelledLine(request, 3000.5))).toEqual({
      ...common,
      outcome: 'admitted',
      completed_at: 3000,
      status: 'cancelled',
    });
  });

  it('stay JSON whatever the tenant is called', () => {
    const tenant = '"\\\n🦊';
    expect(parse(waitingLine({ ...request, tenant }))).toMatchObject({ tenant });
  });

  it('announce the slots of the pool', () => {
    expect(parse(poolLine(5000, 8))).toEqual({ schema: 'evenshare.pool.v1', pool: 'demo', at: 5000, slots: 8 });
  });

  it('are read by the intake as they are meant, with nothing left over', () => {
    const times = { arrivedAtMs: 1.7e12, dispatchedAtMs: 1.7e12 + 2, endedAtMs: 1.7e12 + 9 };
    const now = { ...request, arrivedAtMs: 1.7e12 };
    const lines = [endedLine(served(times)), endedLine(refused(now)), waitingLine(now), cancelledLine(now, 1.7e12 + 5)];
    for (const line of lines) {
      const read = parseEventText(line, { defaultPool: 'none', defaultTenant: null });
      expect(read).toMatchObject({ kind: 'decision', event: { requestId: request.id, pool: 'demo', labels: null } });
    }
    const pool = parseEventText(poolLine(1.7e12, 8), { defaultPool: 'none', defaultTenant: null });
    expect(pool).toMatchObject({ kind: 'pool', announcement: { pool: 'demo', atMs: 1.7e12, slots: 8 } });
  });
});
