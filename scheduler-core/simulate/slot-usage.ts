import type { Policy } from '../policy/policy.ts';
import type { SimulatedRequest } from './simulated-request.ts';

/** Slot-time since the start, ms × slots. */
export interface SlotUsage {
  readonly busySlotMs: number;
  readonly availableSlotMs: number;
  /** Of it idle while some waiting request would have fitted that its quota did not hold back. */
  readonly idleWhileWaitingSlotMs: number;
}

interface Slots {
  readonly slots: number;
  readonly busySlots: number;
  /** The most that are free at one worker. */
  largestFree(): number;
}

/**
 * Adds up slot-time as the loop moves. Requests of tenants whose quota holds them back at dispatch are left out of what
 * might have been served: whether the quota or the scheduler kept them cannot be seen from outside.
 */
export class SlotMeter {
  readonly #policy: Policy;
  readonly #holdsAny: boolean;
  /** Eligible waiting requests by the slots that they need. */
  readonly #waitingBySlots = new Map<number, number>();
  #atMs: number;
  #busySlotMs = 0;
  #availableSlotMs = 0;
  #idleWhileWaitingSlotMs = 0;

  constructor(policy: Policy, nowMs: number) {
    this.#policy = policy;
    this.#holdsAny = [policy.defaultTenant, ...policy.tenants.values()].some(({ quota }) => quota?.mode === 'hold');
    this.#atMs = nowMs;
  }

  /** Accounts for the time since the last call. */
  moveTo(nowMs: number, pool: Slots, waiting: number): void {
    const lengthMs = nowMs - this.#atMs;
    if (lengthMs <= 0) return;
    this.#atMs = nowMs;
    const { slots, busySlots } = pool;
    this.#busySlotMs += busySlots * lengthMs;
    // Slots that leave while they serve are there until they are done.
    this.#availableSlotMs += Math.max(slots, busySlots) * lengthMs;
    if (waiting > 0 && busySlots < slots && this.#somethingFits(pool.largestFree())) {
      this.#idleWhileWaitingSlotMs += (slots - busySlots) * lengthMs;
    }
  }

  waits(request: SimulatedRequest, change: 1 | -1): void {
    if (this.#holdsAny && this.#isHeldBack(request.tenant)) return;
    const slots = request.slots ?? 1;
    this.#waitingBySlots.set(slots, (this.#waitingBySlots.get(slots) ?? 0) + change);
  }

  usage(): SlotUsage {
    return {
      busySlotMs: this.#busySlotMs,
      availableSlotMs: this.#availableSlotMs,
      idleWhileWaitingSlotMs: this.#idleWhileWaitingSlotMs,
    };
  }

  #isHeldBack(tenant: string): boolean {
    return (this.#policy.tenants.get(tenant) ?? this.#policy.defaultTenant).quota?.mode === 'hold';
  }

  #somethingFits(largestFree: number): boolean {
    for (const [slots, count] of this.#waitingBySlots) if (count > 0 && slots <= largestFree) return true;
    return false;
  }
}
