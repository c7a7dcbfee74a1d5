import type { Random } from '../kernel/index.ts';
import { seededRandom } from '../kernel/index.ts';
import { BinaryHeap } from '../queue/binary-heap.ts';
import { type ArrivalCursor, type ArrivalProcess, openArrivals } from './arrival-process.ts';
import { drawEstimate, drawSize, type ServiceModel } from './request-size.ts';
import type { Client, SimulatedRequest } from './simulated-request.ts';

/** Requests of one kind of one tenant. A tenant may have several loads. */
export interface TenantLoad {
  readonly tenant: string;
  readonly class?: string;
  readonly arrivals: ArrivalProcess;
  readonly service: ServiceModel;
  /** Slots that a request holds; > 0. Default 1. */
  readonly slots?: number;
  readonly waitBudgetMs?: number;
  readonly client?: Client;
  /** Which worker's queue its requests go to; default 0. */
  readonly worker?: number;
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
  readonly arrivals: ArrivalCursor;
  readonly sizes: Random;
  readonly estimates: Random;
  nextAtMs: number;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The requests of all loads in one stream, in order of time (ties: in order of `loads`), drawn as they are asked for:
 * memory is that of the loads. Each load has generators of its own, named for its tenant, so another tenant's load
 * disturbs neither its arrivals nor its sizes.
 */
export function* drawRequests(options: WorkloadOptions): Generator<SimulatedRequest, void, undefined> {
  const { fromMs, toMs, idPrefix } = options;
  const sources = new BinaryHeap<Source>(
    (left, right) => left.nextAtMs < right.nextAtMs || (left.nextAtMs === right.nextAtMs && left.order < right.order),
  );
  for (const source of openSources(options)) sources.push(source);
  for (let sequence = 0; ; sequence++) {
    const source = sources.pop();
    if (source === undefined || source.nextAtMs >= toMs) return;
    yield draw(source, `${idPrefix}${sequence}`);
    advance(source, source.nextAtMs, fromMs, toMs);
    sources.push(source);
  }
}

function openSources({ loads, seed, fromMs, toMs }: WorkloadOptions): Source[] {
  const random = seededRandom(seed);
  const loadsOf = new Map<string, number>();
  return loads.map((load, order) => {
    const earlier = loadsOf.get(load.tenant) ?? 0;
    loadsOf.set(load.tenant, earlier + 1);
    const label = earlier === 0 ? load.tenant : `${load.tenant} (${earlier + 1})`;
    const source: Source = {
      load,
      order,
      arrivals: openArrivals(load.arrivals, random.fork(`gaps of ${label}`)),
      sizes: random.fork(`services of ${label}`),
      estimates: random.fork(`estimates of ${label}`),
      nextAtMs: fromMs,
    };
    advance(source, fromMs, fromMs, toMs);
    return source;
  });
}

/** Moves on to the source's next arrival, or to `toMs` or later when there is none. */
function advance(source: Source, previousMs: number, fromMs: number, toMs: number): void {
  let atMs = source.arrivals(previousMs, toMs);
  // Listed times may begin before the workload does.
  while (atMs < fromMs) atMs = source.arrivals(atMs, toMs);
  source.nextAtMs = atMs;
}

function draw({ load, sizes, estimates, nextAtMs }: Source, id: string): SimulatedRequest {
  const { service } = load;
  const slots = load.slots ?? 1;
  const { estimated, actual } = drawEstimate(service.estimate, drawSize(service.size, sizes), estimates);
  const serviceMs = service.baseMs + service.perUnitMs * actual;
  const request: Mutable<SimulatedRequest> = {
    id,
    tenant: load.tenant,
    arrivedAtMs: nextAtMs,
    costEstimate: costOf(service, estimated, slots),
    slots,
    serviceMs,
  };
  // Assigned one by one and only where they differ: a spread here costs more than all the rest.
  if (service.estimate.kind !== 'none') request.actualCost = costOf(service, actual, slots);
  if (load.class !== undefined) request.class = load.class;
  if (load.waitBudgetMs !== undefined) request.waitBudgetMs = load.waitBudgetMs;
  if (load.client !== undefined) request.client = load.client;
  if (load.worker !== undefined) request.worker = load.worker;
  return request;
}

function costOf(service: ServiceModel, size: number, slots: number): number {
  if (service.cost === 'size') return size;
  if (service.cost === 'service_ms') return (service.baseMs + service.perUnitMs * size) * slots;
  return service.cost;
}
