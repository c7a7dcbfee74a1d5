import { assertInvariant, type Random, SECOND_MS, seededRandom } from '../kernel/index.ts';
import type { Request } from '../model.ts';
import { BinaryHeap } from '../queue/binary-heap.ts';
import type { RateProfile } from './rate-profile.ts';

/** A request whose service time is known beforehand, as only a simulation knows it. */
export interface SimulatedRequest extends Request {
  /** How long a slot is busy with it, ms; > 0, fractional. */
  readonly serviceMs: number;
}

export interface TenantLoad {
  readonly tenant: string;
  readonly rate: RateProfile;
  /** Mean of the exponential service time, ms; > 0. */
  readonly serviceMeanMs: number;
}

export interface WorkloadOptions {
  readonly loads: readonly TenantLoad[];
  readonly seed: number;
  /** Arrivals lie in `[fromMs, toMs)`; `toMs` may be Infinity. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What the ids begin with: ids are unique within one stream only. */
  readonly idPrefix: string;
}

interface Source {
  readonly load: TenantLoad;
  readonly order: number;
  readonly gaps: Random;
  readonly services: Random;
  nextAtMs: number;
}

/**
 * Poisson arrivals of all tenants in one stream, in order of time (ties: in order of `loads`), drawn as they are asked
 * for: memory is that of the tenants. Each tenant has generators of its own, so another tenant's load disturbs neither
 * its arrivals nor its service times. The cost estimate is the service time, and each request holds one slot.
 */
export function* poissonRequests(options: WorkloadOptions): Generator<SimulatedRequest, void, undefined> {
  const random = seededRandom(options.seed);
  const sources = new BinaryHeap<Source>(
    (left, right) => left.nextAtMs < right.nextAtMs || (left.nextAtMs === right.nextAtMs && left.order < right.order),
  );
  for (const [order, load] of options.loads.entries()) {
    const source: Source = {
      load,
      order,
      gaps: random.fork(`gaps of ${load.tenant}`),
      services: random.fork(`services of ${load.tenant}`),
      nextAtMs: options.fromMs,
    };
    advance(source, options.toMs);
    sources.push(source);
  }
  for (let sequence = 0; ; sequence++) {
    const source = sources.pop();
    if (source === undefined || source.nextAtMs >= options.toMs) return;
    const serviceMs = source.services.exponential(source.load.serviceMeanMs);
    yield {
      id: `${options.idPrefix}${sequence}`,
      tenant: source.load.tenant,
      arrivedAtMs: source.nextAtMs,
      costEstimate: serviceMs,
      slots: 1,
      serviceMs,
    };
    advance(source, options.toMs);
    sources.push(source);
  }
}

/**
 * Moves on to the source's next arrival, or to `toMs` or later when there is none. Exponential gaps have no memory, so
 * a gap that would reach past a change of rate is drawn anew from the change on.
 */
function advance(source: Source, toMs: number): void {
  let atMs = source.nextAtMs;
  while (atMs < toMs) {
    const { rateRps, untilMs } = source.load.rate(atMs);
    assertInvariant(untilMs > atMs, `a rate profile must move on from ${atMs}`);
    const nextAtMs = rateRps > 0 ? atMs + source.gaps.exponential(SECOND_MS / rateRps) : Number.POSITIVE_INFINITY;
    if (nextAtMs < untilMs) {
      source.nextAtMs = nextAtMs;
      return;
    }
    atMs = untilMs;
  }
  source.nextAtMs = atMs;
}
