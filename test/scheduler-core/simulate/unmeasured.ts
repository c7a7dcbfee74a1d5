import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import {
  type Client,
  constantRate,
  drawRequests,
  type EstimateError,
  exponentialService,
  type PolicyResult,
  rateInSpans,
  simulate,
  type TenantLoad,
} from '../../../scheduler-core/simulate/index.ts';
import { readScenario } from './scenario-files.ts';

// What the source of the noisy neighbour left unmeasured, measured on its scenario: one row a variant, over some seeds.

const SLOTS = 8;
const MEASURED = { fromMs: 20_000, toMs: 40_000 };

export interface Variant {
  readonly group: string;
  readonly name: string;
  readonly policy: Policy;
  readonly loads: readonly TenantLoad[];
  readonly weights?: ReadonlyMap<string, number>;
}

export interface Row {
  readonly group: string;
  readonly name: string;
  readonly jain: number;
  readonly minShare: number;
  readonly inShareP99Ms: number;
  readonly heavyRps: number;
  readonly refused: number;
  readonly utilization: number;
}

const noisyLoads = readScenario('noisy-neighbour').loads;

function drr(
  options: { quantum?: number; limit?: number | 'unlimited'; settle?: boolean; weights?: object } = {},
): Policy {
  const { quantum = 10, limit = 200, settle = true, weights = {} } = options;
  return parsePolicy({
    name: 'drr',
    cost_unit: 'service_ms',
    settle,
    discipline: { kind: 'drr', quantum },
    queue: { per_tenant_limit: limit },
    weights,
  });
}

const FIFO = parsePolicy({ name: 'fifo', discipline: 'fifo', queue: { total_limit: 2000 } });

function withError(error: EstimateError): readonly TenantLoad[] {
  return noisyLoads.map((load) => ({ ...load, service: { ...load.service, estimate: error } }));
}

function estimateErrors(): Variant[] {
  return [0.1, 0.25, 0.5, 0.75, 1].flatMap((ratio) =>
    [true, false].map((settle) => ({
      group: 'cost-estimate error',
      name: `±${100 * ratio}%, ${settle ? 'settled on completion' : 'not settled'}`,
      policy: drr({ settle }),
      loads: withError({ kind: 'estimate_is_actual_times', from: 1 - ratio, to: 1 + ratio }),
    })),
  );
}

/** One tenant that says it costs half of what it does: an error that does not average out. */
function liars(): Variant[] {
  return [true, false].map((settle) => ({
    group: 'cost-estimate error',
    name: `heavy says half of what it costs, a rival floods too, ${settle ? 'settled' : 'not settled'}`,
    policy: drr({ settle }),
    loads: [...noisyLoads, rival()].map((load) => ({
      ...load,
      service: {
        ...load.service,
        estimate: { kind: 'estimate_is_actual_times', from: 1, to: 1 } as EstimateError,
        ...(load.tenant === 'heavy'
          ? { estimate: { kind: 'estimate_is_actual_times', from: 0.5, to: 0.5 } as EstimateError }
          : {}),
      },
    })),
  }));
}

function rival(): TenantLoad {
  const rate = rateInSpans(0, [{ ...MEASURED, rateRps: 2000 }]);
  return { tenant: 'rival', arrivals: { kind: 'poisson', rate }, service: exponentialService(10) };
}

function weights(): Variant[] {
  return [1, 2, 4].map((weight) => ({
    group: 'weights',
    name: `heavy ${weight}:1 against a rival that floods as well`,
    policy: drr({ weights: { heavy: weight } }),
    loads: [...noisyLoads, rival()],
    weights: new Map([['heavy', weight]]),
  }));
}

function retries(): Variant[] {
  const client: Client = {
    givesUpAfterMs: null,
    failing: [],
    retry: { maxAttempts: 4, backoffMs: 200, backoffFactor: 2, jitterRatio: 0.5, honoursRetryAfter: true },
  };
  const loads = noisyLoads.map((load) => ({ ...load, client }));
  return [FIFO, drr()].map((policy) => ({
    group: 'retrying clients',
    name: `up to 4 attempts after 0.2, 0.4, 0.8 s, ${policy.name}`,
    policy,
    loads,
  }));
}

/** mid0 sends its 60/s of twenty seconds in the first two of them: on average within its share. */
function early(): Variant[] {
  const rate = rateInSpans(60, [
    { fromMs: 20_000, toMs: 22_000, rateRps: 600 },
    { fromMs: 22_000, toMs: 40_000, rateRps: 0 },
  ]);
  const loads = noisyLoads.map((load) =>
    load.tenant === 'mid0' ? { ...load, arrivals: { kind: 'poisson' as const, rate } } : load,
  );
  const steady = noisyLoads.map((load) =>
    load.tenant === 'mid0' ? { ...load, arrivals: { kind: 'poisson' as const, rate: constantRate(60) } } : load,
  );
  return [
    {
      group: 'demand in the first two seconds',
      name: 'mid0 steady',
      policy: drr({ limit: 'unlimited' }),
      loads: steady,
    },
    { group: 'demand in the first two seconds', name: 'mid0 early', policy: drr({ limit: 'unlimited' }), loads },
    { group: 'demand in the first two seconds', name: 'mid0 early, limit 200', policy: drr(), loads },
  ];
}

function quanta(): Variant[] {
  return [0.1, 1, 10, 50, 200].map((quantum) => ({
    group: 'quantum, mean cost 10 ms',
    name: `${quantum} ms`,
    policy: drr({ quantum }),
    loads: noisyLoads,
  }));
}

export const VARIANTS: readonly Variant[] = [
  ...estimateErrors(),
  ...liars(),
  ...weights(),
  ...retries(),
  ...early(),
  ...quanta(),
];

export function measureVariant(variant: Variant, seeds: readonly number[]): { row: Row; results: PolicyResult[] } {
  const results = seeds.flatMap((seed) => {
    const requests = drawRequests({ loads: variant.loads, seed, fromMs: 0, toMs: 60_000, idPrefix: '' });
    return simulate(variant.policy, requests, {
      slots: SLOTS,
      seed,
      run: { fromMs: 0, toMs: 60_000 },
      measured: MEASURED,
      ...(variant.weights === undefined ? {} : { weights: variant.weights }),
    }).policies;
  });
  const mean = (read: (result: PolicyResult) => number | null | undefined): number =>
    results.reduce((sum, result) => sum + (read(result) ?? Number.NaN), 0) / results.length;
  const row = {
    group: variant.group,
    name: variant.name,
    jain: mean((result) => result.jain_index),
    minShare: mean((result) => result.min_normalized_share?.value),
    inShareP99Ms: mean((result) => result.in_share_p99_wait_ms),
    heavyRps: mean((result) => result.tenants.find(({ tenant }) => tenant === 'heavy')?.rate_rps),
    refused: mean((result) => Object.values(result.rejected).reduce((sum, count) => sum + count, 0)),
    utilization: mean((result) => result.utilization_ratio),
  };
  return { row, results };
}

/** The rows as a table of Markdown. */
export function markdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const figures = [
      row.jain.toFixed(3),
      row.minShare.toFixed(3),
      row.inShareP99Ms.toFixed(1),
      row.heavyRps.toFixed(1),
    ];
    return `| ${[row.group, row.name, ...figures, row.refused.toFixed(0), row.utilization.toFixed(3)].join(' | ')} |`;
  });
  const head =
    '| what | variant | Jain | min share | in-share p99, ms | heavy/s | refused | utilization |\n|---|---|---|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n`;
}
