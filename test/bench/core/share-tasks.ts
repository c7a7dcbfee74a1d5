import { assertInvariant, seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { type FairStep, fairService, maxMinFairShare, type TenantWork } from '../../../scheduler-core/share/index.ts';
import { NOISY_NEIGHBOUR_SLOTS, noisyNeighbour, simulate } from '../../../scheduler-core/simulate/index.ts';
import { weightOf } from './backlog.ts';
import { naiveMaxMin } from './naive-max-min.ts';

/** What two ways to do the same take, ms, a figure a run. */
export interface Times {
  readonly ours: readonly number[];
  readonly naive: readonly number[];
}

function timeOf(work: () => unknown): number {
  const startMs = performance.now();
  const result = work();
  const elapsedMs = performance.now() - startMs;
  assertInvariant(result !== undefined, 'the work has a result, which nothing may optimise away');
  return elapsedMs;
}

/** Sizes of demands spread over some orders of magnitude; half of the capacity that they want. */
export async function measureMaxMin(input: { readonly tenants: number; readonly runs: number }): Promise<Times> {
  const random = seededRandom(1);
  const demands = Array.from({ length: input.tenants }, () => Math.exp(random.next() * 8));
  const weights = demands.map((_, index) => weightOf(index));
  const capacity = demands.reduce((sum, demand) => sum + demand, 0) / 2;
  const ours: number[] = [];
  const naive: number[] = [];
  for (let run = 0; run <= input.runs; run++) {
    ours.push(timeOf(() => maxMinFairShare(demands, capacity, weights)));
    naive.push(timeOf(() => naiveMaxMin(demands, capacity, weights)));
  }
  // The first of each warms up.
  return { ours: ours.slice(1), naive: naive.slice(1) };
}

export interface FairServiceInput {
  readonly windows: number;
  readonly tenants: number;
  readonly runs: number;
}

const DISTINCT_WINDOWS = 10;

/** A day of windows, one in ten of which wants more than there is. */
export async function measureFairService({ windows, tenants, runs }: FairServiceInput): Promise<readonly number[]> {
  const random = seededRandom(1);
  const distinct = Array.from({ length: DISTINCT_WINDOWS }, (_, window): FairStep => {
    const works = Array.from({ length: tenants }, (_, index): TenantWork => {
      const offeredAdmitted = Math.floor(Math.exp(random.next() * 8));
      const late = Math.floor((offeredAdmitted * random.next()) / 4);
      return {
        tenant: `tenant-${index}`,
        weight: weightOf(index),
        offeredAdmitted,
        offeredRefused: 0,
        late,
        lateAfter: late,
      };
    });
    const offered = works.reduce((sum, work) => sum + work.offeredAdmitted, 0);
    return { tenants: works, capacity: window === 0 ? offered * 0.7 : offered * 2 };
  });
  const steps = function* (): Generator<FairStep> {
    for (let window = 0; window < windows; window++)
      yield distinct[window % DISTINCT_WINDOWS] ?? { tenants: [], capacity: 1 };
  };
  return Array.from({ length: runs + 1 }, () => timeOf(() => fairService(steps()).after.size)).slice(1);
}

const NOISY_POLICIES = new Map([
  ['fifo', parsePolicy({ name: 'fifo', cost_unit: 'service_ms', discipline: 'fifo', queue: { total_limit: 2000 } })],
  [
    'drr',
    parsePolicy({
      name: 'drr',
      cost_unit: 'service_ms',
      discipline: { kind: 'drr', quantum: 10 },
      queue: { per_tenant_limit: 200 },
    }),
  ],
  ['wfq', parsePolicy({ name: 'wfq', cost_unit: 'service_ms', discipline: 'wfq', queue: { per_tenant_limit: 200 } })],
]);

export interface SimulateFigures {
  readonly requests: number;
  readonly drawMs: readonly number[];
  readonly policies: readonly { readonly policy: string; readonly elapsedMs: readonly number[] }[];
}

/** The noisy neighbour under each policy by itself, figures and all; its requests are drawn before. */
export async function measureSimulate(input: { readonly runs: number }): Promise<SimulateFigures> {
  const draw = () => Array.from(noisyNeighbour({ seed: 1 }));
  const requests = draw();
  const drawMs = Array.from({ length: input.runs }, () => timeOf(draw));
  const options = {
    slots: NOISY_NEIGHBOUR_SLOTS,
    run: { fromMs: 0, toMs: 60_000 },
    measured: { fromMs: 20_000, toMs: 40_000 },
  };
  const policies = Array.from(NOISY_POLICIES, ([policy, parsed]) => {
    const times = Array.from({ length: input.runs + 2 }, () => timeOf(() => simulate(parsed, requests, options)));
    return { policy, elapsedMs: times.slice(2) };
  });
  return { requests: requests.length, drawMs, policies };
}
