import {
  type EndedRequest,
  type OpenRequest,
  type SimulatedRequest,
  seededRandom,
} from '../../../../scheduler-core/index.ts';

/**
 * Whom it serves next: the waiting tenant that had the least service by its weight, the same without weights, whoever came
 * last, anybody, or the first of the tenant that has the most waiting.
 */
export type ServiceOrder = 'by_weight' | 'unweighted' | 'newest_first' | 'at_random' | 'longest_queue';

export interface BrokenGateway {
  readonly slots: number;
  readonly order: ServiceOrder;
  /** Its requests are never chosen within the span. */
  readonly skips: { readonly tenant: string; readonly fromMs: number; readonly toMs: number } | null;
  /** Within the span a slot that ended a service takes no other for this many times as long; 0: at once. */
  readonly rests: { readonly ratio: number; readonly fromMs: number; readonly toMs: number } | null;
  readonly weights: ReadonlyMap<string, number>;
  readonly cost: (request: SimulatedRequest) => number;
}

interface InService {
  readonly request: SimulatedRequest;
  readonly dispatchedAtMs: number;
  readonly endsAtMs: number;
  /** When its slot takes the next one. */
  readonly freeAtMs: number;
}

/**
 * A gateway with a fault, written for nothing but to be plain: it serves the waiting tenant that had the least service by
 * its weight (a tenant that comes back is lifted to the least of those that wait), or in another order, but for what is
 * wrong with it.
 */
export function runBrokenGateway(
  gateway: BrokenGateway,
  requests: readonly SimulatedRequest[],
  untilMs: number,
): { readonly ended: EndedRequest[]; readonly open: OpenRequest[] } {
  const random = seededRandom(1);
  const queues = new Map<string, SimulatedRequest[]>();
  const counters = new Map<string, number>();
  let inService: InService[] = [];
  const ended: EndedRequest[] = [];
  /** Of slots that serve or rest: when each takes another one. */
  let held: number[] = [];
  let next = 0;
  let nowMs = 0;
  const skipped = (tenant: string): boolean =>
    gateway.skips !== null &&
    gateway.skips.tenant === tenant &&
    nowMs >= gateway.skips.fromMs &&
    nowMs < gateway.skips.toMs;

  /** No credit for the time in which it did not wait, or was not chosen. */
  const lift = (tenant: string): void => {
    const counts = [...queues].flatMap(([other, queue]) =>
      queue.length > 0 && other !== tenant && !skipped(other) ? [counters.get(other) ?? 0] : [],
    );
    if (counts.length > 0) counters.set(tenant, Math.max(counters.get(tenant) ?? 0, Math.min(...counts)));
  };
  const arrive = (request: SimulatedRequest): void => {
    const queue = queues.get(request.tenant) ?? [];
    queues.set(request.tenant, queue);
    if (queue.length === 0) lift(request.tenant);
    queue.push(request);
  };
  const choose = (): SimulatedRequest | undefined => {
    const waiting = [...queues].filter(([tenant, queue]) => queue.length > 0 && !skipped(tenant));
    const least = (keyOf: (tenant: string, queue: readonly SimulatedRequest[]) => number) => {
      let best: { readonly key: number; readonly queue: SimulatedRequest[] } | null = null;
      for (const [tenant, queue] of waiting) {
        const key = keyOf(tenant, queue);
        if (best === null || key < best.key) best = { key, queue };
      }
      return best?.queue;
    };
    switch (gateway.order) {
      case 'by_weight':
      case 'unweighted':
        return least((tenant) => counters.get(tenant) ?? 0)?.shift();
      case 'newest_first':
        return least((_, queue) => -(queue.at(-1)?.arrivedAtMs ?? 0))?.pop();
      case 'longest_queue':
        return least((_, queue) => -queue.length)?.shift();
      case 'at_random': {
        let place = Math.floor(random.next() * waiting.reduce((sum, [, queue]) => sum + queue.length, 0));
        for (const [, queue] of waiting) {
          if (place < queue.length) return queue.splice(place, 1)[0];
          place -= queue.length;
        }
        return undefined;
      }
    }
  };
  const start = (request: SimulatedRequest): void => {
    const { tenant, serviceMs } = request;
    const weight = gateway.order === 'unweighted' ? 1 : (gateway.weights.get(tenant) ?? 1);
    const spent = gateway.cost(request) / weight;
    counters.set(tenant, (counters.get(tenant) ?? 0) + spent);
    const endsAtMs = nowMs + serviceMs;
    const rests = gateway.rests !== null && nowMs >= gateway.rests.fromMs && nowMs < gateway.rests.toMs;
    const freeAtMs = endsAtMs + (rests ? serviceMs * (gateway.rests?.ratio ?? 0) : 0);
    inService.push({ request, dispatchedAtMs: nowMs, endsAtMs, freeAtMs });
    held.push(freeAtMs);
  };

  for (;;) {
    const arrivalMs = requests[next]?.arrivedAtMs ?? Number.POSITIVE_INFINITY;
    const ends = [gateway.skips?.toMs ?? 0, gateway.rests?.toMs ?? 0].filter((atMs) => atMs > nowMs);
    const atMs = Math.min(arrivalMs, ...held, ...inService.map((each) => each.endsAtMs), ...ends);
    if (atMs > untilMs || atMs === Number.POSITIVE_INFINITY) break;
    const skips = gateway.skips;
    if (skips !== null && nowMs < skips.toMs && atMs >= skips.toMs) lift(skips.tenant);
    nowMs = atMs;
    for (const { request, dispatchedAtMs, endsAtMs } of inService.filter((each) => each.endsAtMs <= nowMs)) {
      const cost = request.actualCost ?? request.costEstimate ?? 1;
      const served = { outcome: 'served', reason: null, status: 'ok', promoted: false } as const;
      ended.push({ request, ...served, dispatchedAtMs, endedAtMs: endsAtMs, cost });
    }
    inService = inService.filter((each) => each.endsAtMs > nowMs);
    held = held.filter((freeAtMs) => freeAtMs > nowMs);
    for (; requests[next] !== undefined && (requests[next]?.arrivedAtMs ?? 0) <= nowMs; next++) {
      const request = requests[next];
      if (request !== undefined) arrive(request);
    }
    while (held.length < gateway.slots) {
      const request = choose();
      if (request === undefined) break;
      start(request);
    }
  }
  const open: OpenRequest[] = [
    ...inService.map(({ request, dispatchedAtMs }) => ({ request, dispatchedAtMs })),
    ...[...queues.values()].flat().map((request) => ({ request, dispatchedAtMs: null })),
  ];
  return { ended, open };
}
