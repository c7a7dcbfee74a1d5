import { assertNever } from '../kernel/index.ts';
import type { QueuePolicy, Request } from '../model.ts';
import { DeficitRoundRobinQueue } from './deficit-round-robin.ts';
import { FifoQueue } from './fifo.ts';
import type { QueueDiscipline } from './scheduler.ts';

/** An empty queue under the policy. Throws `EVS_POLICY` for a policy that could serve nobody. */
export function createQueue<R extends Request>(policy: QueuePolicy): QueueDiscipline<R> {
  switch (policy.kind) {
    case 'fifo':
      return new FifoQueue<R>(policy);
    case 'drr':
      return new DeficitRoundRobinQueue<R>(policy);
    default:
      return assertNever(policy);
  }
}
