import { EvenshareError, seededRandom } from '../kernel/index.ts';
import { kindOfRecorded, type RecordedRequest } from './recorded-request.ts';

/** Where the service times of a replay come from: how many requests each. */
export interface ServiceBasis {
  /** Completion − dispatch. */
  readonly measured: number;
  /** Completion − arrival, where no dispatch was recorded: the wait is in it. */
  readonly bounded: number;
  /** Refused, given up or open in the record: drawn from what others of its tenant took, else from all. */
  readonly imputed: number;
}

export interface ServiceTimes {
  /** In the order of the requests, ms; ≥ 0. */
  readonly serviceMs: readonly number[];
  readonly basis: ServiceBasis;
}

/**
 * How long each request would be served. A time that was not recorded is drawn from those that were, of the same tenant
 * where there are any: the median instead would make a skewed load lighter than it is. The draw depends on the seed and the
 * request's id alone. Throws `EVS_USAGE` where the record has no service time at all.
 */
export function serviceTimes(requests: readonly RecordedRequest[], seed: number): ServiceTimes {
  const known = requests.map(recordedServiceMs);
  const times = gatherTimes(requests, known);
  const random = seededRandom(seed);
  const basis = { measured: 0, bounded: 0, imputed: 0 };
  const serviceMs = requests.map((request, index) => {
    const own = known[index] ?? null;
    if (own === null) {
      basis.imputed++;
      const from = times.ofTenants.get(request.tenant) ?? times.all;
      return from[Math.floor(random.fork(request.id).next() * from.length)] ?? 0;
    }
    if (request.dispatchedAtMs === null) basis.bounded++;
    else basis.measured++;
    return own;
  });
  return { serviceMs, basis };
}

function recordedServiceMs(request: RecordedRequest): number | null {
  const { dispatchedAtMs, completedAtMs, arrivedAtMs } = request;
  const kind = kindOfRecorded(request);
  if (completedAtMs === null || (kind !== 'served' && kind !== 'unknown_wait')) return null;
  return Math.max(0, completedAtMs - (dispatchedAtMs ?? arrivedAtMs));
}

interface KnownTimes {
  readonly all: readonly number[];
  readonly ofTenants: ReadonlyMap<string, readonly number[]>;
}

function gatherTimes(requests: readonly RecordedRequest[], known: readonly (number | null)[]): KnownTimes {
  const all: number[] = [];
  const ofTenants = new Map<string, number[]>();
  for (const [index, { tenant }] of requests.entries()) {
    const serviceMs = known[index] ?? null;
    if (serviceMs === null) continue;
    all.push(serviceMs);
    const own = ofTenants.get(tenant);
    if (own === undefined) ofTenants.set(tenant, [serviceMs]);
    else own.push(serviceMs);
  }
  if (all.length > 0) return { all, ofTenants };
  const why = 'the log has no service times (no request has a completion): there is nothing to replay';
  throw new EvenshareError('EVS_USAGE', why);
}
