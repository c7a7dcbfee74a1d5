import { createScheduler, parsePolicy, type Request, type Scheduler } from '../../../scheduler-core/index.ts';

/** A scheduler under a policy written as an object of the fuller form. */
export function schedulerOf(policy: object, options: { slots?: number; seed?: number } = {}): Scheduler {
  return createScheduler(parsePolicy(policy), { nowMs: 0, ...options });
}

/** Offers requests `PREFIX0`, `PREFIX1`, …; all must be let in. */
export function offerMany(
  scheduler: Scheduler,
  count: number,
  request: Omit<Request, 'id'> & { prefix?: string },
  nowMs = 0,
): void {
  const { prefix = request.tenant, ...rest } = request;
  for (let index = 0; index < count; index++) {
    const { refused } = scheduler.offer({ id: `${prefix}${index}`, ...rest }, nowMs);
    if (refused !== null) throw new Error(`${prefix}${index} was refused: ${refused}`);
  }
}

/** Takes up to so many, in order; each stays in flight. */
export function takeIds(scheduler: Scheduler, nowMs: number, most = Number.POSITIVE_INFINITY): string[] {
  const ids: string[] = [];
  while (ids.length < most) {
    const dispatch = scheduler.take(nowMs);
    if (dispatch === null) break;
    ids.push(dispatch.id);
  }
  return ids;
}
