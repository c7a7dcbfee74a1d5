import { describe, expect, it } from 'vitest';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { type RecordedRequest, type ReplayOptions, replay } from '../../../scheduler-core/replay/index.ts';
import {
  EventLoop,
  noisyNeighbour,
  noisyNeighbourPolicy,
  plainPolicy,
} from '../../../scheduler-core/simulate/index.ts';

const FIFO = parsePolicy({ name: 'fifo', discipline: 'fifo' });
const DRR = noisyNeighbourPolicy('drr');

function recorded(id: string, more: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    id,
    tenant: 'a',
    class: null,
    arrivedAtMs: 0,
    rejectedFor: null,
    dispatchedAtMs: null,
    completedAtMs: null,
    status: null,
    costEstimate: null,
    cost: null,
    inputTokens: null,
    outputTokens: null,
    slots: 1,
    originalId: null,
    promoted: false,
    waitBudgetMs: null,
    isWaitKnown: true,
    ...more,
  };
}

function options(more: Partial<ReplayOptions> = {}): ReplayOptions {
  return { pool: 'p', slots: 1, costUnit: 'requests', recordedUnder: null, ...more };
}

/** The log of a simulated gateway, with times as a log has them. */
function logOf(policy: Policy, seed: number): RecordedRequest[] {
  const bursts = [{ fromMs: 1000, toMs: 4000 }];
  const arrivals = noisyNeighbour({ seed, durationMs: 6000, bursts });
  const loop = new EventLoop({ arrivals, policy, slots: 8 });
  return Array.from(loop.runToEnd(), ({ request, reason, dispatchedAtMs, endedAtMs }) =>
    recorded(request.id, {
      tenant: request.tenant,
      arrivedAtMs: request.arrivedAtMs,
      rejectedFor: reason,
      dispatchedAtMs,
      completedAtMs: dispatchedAtMs === null ? null : endedAtMs,
    }),
  );
}

describe('replay', () => {
  it('under the policy of the log gives back the log: every wait, the shares, nothing else', () => {
    const boundless = parsePolicy({ name: 'drr', cost_unit: 'service_ms', discipline: { kind: 'drr', quantum: 10 } });
    const { fidelity, policies } = replay(
      logOf(boundless, 3),
      [boundless],
      options({ slots: 8, recordedUnder: boundless }),
    );
    expect(fidelity).toMatchObject({ policy: 'drr', rejections_recorded: 0, rejections_replayed: 0, decisions: null });
    expect(Math.abs(fidelity?.wait_p50_error_ratio ?? 1)).toBeLessThan(1e-6);
    expect(Math.abs(fidelity?.wait_p99_error_ratio ?? 1)).toBeLessThan(1e-6);
    expect(fidelity?.w1_over_mean).toBeLessThan(1e-3);
    const [record, again] = policies;
    expect(record?.policy).toBe('as recorded');
    expect(again?.jain_index).toBeCloseTo(record?.jain_index ?? Number.NaN, 6);
    expect(again?.utilization_ratio).toBeCloseTo(record?.utilization_ratio ?? Number.NaN, 6);
    expect(again?.mean_sojourn_ms).toBeCloseTo(record?.mean_sojourn_ms ?? Number.NaN, 3);
  });

  it('is near the log where some were refused, whose service nobody saw', () => {
    const policy = noisyNeighbourPolicy('fifo');
    const log = logOf(policy, 4);
    const { fidelity, service_times: basis } = replay(log, [], options({ slots: 8, recordedUnder: policy }));
    const refused = log.filter(({ rejectedFor }) => rejectedFor !== null).length;
    expect(basis).toEqual({ measured: log.length - refused, bounded: 0, imputed: refused });
    expect(fidelity?.rejections_recorded).toBe(refused);
    expect(Math.abs((fidelity?.rejections_replayed ?? 0) / refused - 1)).toBeLessThan(0.2);
    expect(Math.abs(fidelity?.wait_p99_error_ratio ?? 1)).toBeLessThan(0.15);
  });

  it('tells what another policy would have done: what starved under fifo is within its share under drr', () => {
    const measured = { fromMs: 1000, toMs: 4000 };
    const { policies } = replay(logOf(noisyNeighbourPolicy('fifo'), 5), [DRR], options({ slots: 8, measured }));
    const [record, drr] = policies;
    expect(record?.jain_index).toBeLessThan(0.9);
    expect(drr?.jain_index).toBeGreaterThan(0.99);
    expect(drr?.in_share_p99_wait_ms).toBeLessThan((record?.in_share_p99_wait_ms ?? 0) / 10);
  });

  it('gives the same bytes twice, whatever the order of the log', () => {
    const log = logOf(DRR, 6);
    const once = JSON.stringify(replay(log, [FIFO, DRR], options({ slots: 8, recordedUnder: DRR })));
    const shuffled = [...log].reverse();
    expect(JSON.stringify(replay(shuffled, [FIFO, DRR], options({ slots: 8, recordedUnder: DRR })))).toBe(once);
  });

  it('lets clients that gave up in the record go after the same patience', () => {
    const log = [
      recorded('long', { dispatchedAtMs: 0, completedAtMs: 1000 }),
      recorded('gave up', { arrivedAtMs: 10, completedAtMs: 60, tenant: 'b' }),
    ];
    const [record, fifo] = replay(log, [FIFO], options()).policies;
    expect([record?.given_up, fifo?.given_up]).toEqual([1, 1]);
    expect(replay(log, [FIFO], options({ slots: 2 })).policies[1]?.given_up).toBe(0);
  });

  it('costs a policy in its own unit, shares in the log’s', () => {
    const log = [
      recorded('1', { dispatchedAtMs: 0, completedAtMs: 10, inputTokens: 3, outputTokens: 4 }),
      recorded('2', { dispatchedAtMs: 10, completedAtMs: 20, inputTokens: 5, outputTokens: 6, tenant: 'b' }),
    ];
    for (const costUnit of ['tokens', 'service_ms', 'requests'] as const) {
      const policy = plainPolicy('vtc', { costUnit });
      const { policies } = replay(log, policy === null ? [] : [policy], options({ costUnit: 'tokens' }));
      expect(policies.map(({ completed_cost: cost }) => cost)).toEqual([18, 18]);
    }
  });

  it('says why there is no fidelity, and refuses what cannot be replayed', () => {
    const served = recorded('1', { dispatchedAtMs: 0, completedAtMs: 10 });
    expect(replay([served], [FIFO], options())).toMatchObject({
      fidelity: null,
      fidelity_reason: 'recorded_policy_not_named',
    });
    const unknown = recorded('1', { completedAtMs: 10, isWaitKnown: false });
    const result = replay([unknown], [FIFO], options({ recordedUnder: FIFO }));
    expect(result).toMatchObject({ fidelity: null, fidelity_reason: 'no_waits' });
    expect(result.service_times).toEqual({ measured: 0, bounded: 1, imputed: 0 });
    expect(result.policies[0]).toMatchObject({
      jain_index: null,
      jain_index_reason: 'no_waits',
      in_share_p99_wait_ms: null,
      in_share_p99_wait_reason: 'no_waits',
      utilization_ratio: null,
      utilization_reason: 'no_waits',
    });
    const refusal = (log: readonly RecordedRequest[]) => () => replay(log, [FIFO], options());
    expect(refusal([])).toThrowError(/no requests/);
    expect(refusal([recorded('1')])).toThrowError(/no service times/);
    expect(refusal([{ ...served, slots: 4 }])).toThrowError(/give --slots 4 or more/);
  });

  it('sees slots idle in the record while something waited that would have fitted', () => {
    const log = [
      recorded('1', { dispatchedAtMs: 0, completedAtMs: 10 }),
      recorded('late', { dispatchedAtMs: 20, completedAtMs: 30 }),
    ];
    const [record, fifo] = replay(log, [FIFO], options()).policies;
    expect(record?.idle_while_waiting_ratio).toBeCloseTo(10 / 30, 12);
    expect(record?.utilization_ratio).toBeCloseTo(20 / 30, 12);
    expect(fifo?.idle_while_waiting_ratio).toBe(0);
  });

  it('does not let one lost completion hold its slots for ever', () => {
    const log = [
      recorded('1', { dispatchedAtMs: 0, completedAtMs: 10 }),
      recorded('lost', { dispatchedAtMs: 10 }),
      recorded('3', { arrivedAtMs: 1000, dispatchedAtMs: 1000, completedAtMs: 1010 }),
    ];
    expect(replay(log, [], options()).policies[0]?.utilization_ratio).toBeCloseTo(30 / 1010, 12);
  });
});
