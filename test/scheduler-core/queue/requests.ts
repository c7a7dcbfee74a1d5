import type { Request } from '../../../scheduler-core/model.ts';
import type { QueueDiscipline } from '../../../scheduler-core/queue/index.ts';

/** A request that arrives at time 0; only tenant and cost matter to the queues. */
export function request(tenant: string, costEstimate: number, id = `${tenant}/${costEstimate}`): Request {
  return { id, tenant, arrivedAtMs: 0, costEstimate, slots: 1 };
}

/** Takes until nobody waits. */
export function drain(queue: QueueDiscipline<Request>): Request[] {
  const taken: Request[] = [];
  for (let next = queue.take(0); next !== null; next = queue.take(0)) taken.push(next);
  return taken;
}
