import type { Policy } from '../policy/policy.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import type { SlotChange } from './slot-schedule.ts';

/** A request that waits (`dispatchedAtMs` null) or is being served. */
export interface OpenRequest<R extends SimulatedRequest = SimulatedRequest> {
  readonly request: R;
  readonly dispatchedAtMs: number | null;
}

export interface EventLoopOptions<R extends SimulatedRequest = SimulatedRequest> {
  /** In order of arrival, with distinct ids. Read one request ahead; may be endless. */
  readonly arrivals: Iterable<R>;
  readonly policy: Policy;
  /** How many slots serve, of all workers together; > 0. */
  readonly slots: number;
  /** Of the chances that the policy and retrying clients take. Default 1. */
  readonly seed?: number;
  /** When the scheduler starts; ≤ the first arrival. Default: the first arrival. */
  readonly nowMs?: number;
  /** Sorted by time. Slots that leave finish what they serve. Only with one worker. */
  readonly slotChanges?: readonly SlotChange[];
  /** Each has an equal part of the slots and a queue of its own under the policy. Default one. */
  readonly workers?: { readonly count: number; readonly stealing: boolean };
  /** What a service in the light mode takes, in time and cost, of a normal one; > 0. Default 0.5. */
  readonly lightFactor?: number;
}
