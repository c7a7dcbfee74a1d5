import { SECOND_MS } from '../kernel/index.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { constantRate, type RateProfile, rateInCycle, rateInSpans, type Span, type SpanCycle } from './rate-profile.ts';
import { exponentialService } from './request-size.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import { drawRequests, type TenantLoad } from './workload.ts';

/** The servers that the noisy-neighbour scenario is made for: at scale 1 they serve 800 requests/s. */
export const NOISY_NEIGHBOUR_SLOTS = 8;

const SERVICE_MEAN_MS = 10;
const HEAVY_RPS = 400;
const HEAVY_BURST_RPS = 2000;
const MID_TENANTS = 4;
const MID_RPS = 60;
const SMALL_TENANTS = 20;
const SMALL_RPS = 5;
const FIFO_TOTAL_LIMIT = 2000;
const PER_TENANT_LIMIT = 200;

export interface NoisyNeighbourOptions {
  readonly seed: number;
  /** Multiplies every rate. Default 1. */
  readonly rateScale?: number;
  /** Multiplies the mean service time. Default 1; the load stays the same when it is 1 / `rateScale`. */
  readonly serviceScale?: number;
  /** Default 60 s; may be Infinity. */
  readonly durationMs?: number;
  /**
   * When `heavy` floods: spans counted from `originMs` (sorted, disjoint), or a cycle aligned to time 0 wherever the
   * origin lies. Default: from 20 to 40 s.
   */
  readonly bursts?: readonly Span[] | SpanCycle;
  /** The time at which the scenario starts. Default 0. */
  readonly originMs?: number;
  /** What the ids begin with. Default none: ids are `0`, `1`, … in order of arrival. */
  readonly idPrefix?: string;
}

/**
 * One tenant among 25 that floods a pool of 8 servers: `heavy` 400/s, in its bursts 2000/s, `mid0`–`mid3` 60/s each,
 * `small00`–`small19` 5/s each; exponential service, mean 10 ms. In order of time, drawn as it is asked for.
 */
export function noisyNeighbour(options: NoisyNeighbourOptions): Generator<SimulatedRequest, void, undefined> {
  const originMs = options.originMs ?? 0;
  const rateScale = options.rateScale ?? 1;
  const service = exponentialService(SERVICE_MEAN_MS * (options.serviceScale ?? 1));
  const bursts = options.bursts ?? [{ fromMs: 20 * SECOND_MS, toMs: 40 * SECOND_MS }];
  const load = (tenant: string, rate: RateProfile): TenantLoad => ({
    tenant,
    arrivals: { kind: 'poisson', rate },
    service,
  });
  const midRate = constantRate(MID_RPS * rateScale);
  const smallRate = constantRate(SMALL_RPS * rateScale);
  return drawRequests({
    seed: options.seed,
    fromMs: originMs,
    toMs: originMs + (options.durationMs ?? 60 * SECOND_MS),
    idPrefix: options.idPrefix ?? '',
    loads: [
      load('heavy', heavyRate(rateScale, bursts, originMs)),
      ...Array.from({ length: MID_TENANTS }, (_, index) => load(`mid${index}`, midRate)),
      ...Array.from({ length: SMALL_TENANTS }, (_, index) => load(`small${String(index).padStart(2, '0')}`, smallRate)),
    ],
  });
}

function heavyRate(rateScale: number, bursts: readonly Span[] | SpanCycle, originMs: number): RateProfile {
  const baseRps = HEAVY_RPS * rateScale;
  const rateRps = HEAVY_BURST_RPS * rateScale;
  if ('everyMs' in bursts) return rateInCycle(baseRps, rateRps, bursts);
  const spans = bursts.map(({ fromMs, toMs }) => ({ fromMs: originMs + fromMs, toMs: originMs + toMs, rateRps }));
  return rateInSpans(baseRps, spans);
}

/**
 * The scenario's policy by its discipline: fifo for 2000 waiting requests in all; drr for 200 of each tenant, all of weight
 * 1, with a quantum of the mean service time against the service time as cost.
 */
export function noisyNeighbourPolicy(kind: 'fifo' | 'drr', serviceScale = 1): Policy {
  const drr = { kind: 'drr', quantum: SERVICE_MEAN_MS * serviceScale };
  return parsePolicy({
    name: kind,
    cost_unit: 'service_ms',
    discipline: kind === 'fifo' ? 'fifo' : drr,
    queue: kind === 'fifo' ? { total_limit: FIFO_TOTAL_LIMIT } : { per_tenant_limit: PER_TENANT_LIMIT },
  });
}
