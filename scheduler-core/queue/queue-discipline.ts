import type { Seat, Waiting } from './waiting.ts';

/**
 * Who waits and who is next. Knows neither servers, clocks nor limits. Deterministic: the same calls in the same order
 * give the same answers. Entries are the owner's; each stands in at most one queue.
 */
export interface QueueDiscipline<W extends Waiting<W>> {
  /** How many requests wait. */
  readonly size: number;
  /** What they cost together. */
  readonly waitingCost: number;
  /** How many flows take memory: those that wait, and those of which something is remembered. */
  readonly flowsInMind: number;
  push(entry: W): void;
  /**
   * Removes, charges and returns the request to serve next, of those that need no more than `freeSlots`, whose flow is not
   * held and whose class is not paused (with `evenPaused`: or is); null when there is none.
   */
  take(freeSlots: number, evenPaused?: boolean): W | null;
  /** Removes a waiting request out of turn. `charged`: it is served all the same and pays for it. */
  withdraw(entry: W, charged: boolean): void;
  /** The oldest waiting request of the flow; null when none waits. */
  oldestOf(seat: Seat): W | null;
  /** Charges the flow of an entry that was taken so much more, or less when negative. */
  settle(entry: W, cost: number): void;
  /** Takes the flow out of turn, or back; it gains nothing meanwhile. */
  setHeld(seat: Seat, held: boolean): void;
  setPaused(className: string, paused: boolean): void;
  /** What is served before this request if it is pushed now, about; itself not counted. */
  costAhead(entry: W): number;
  /** The whole system is idle: nothing of the past counts any more. Only when nobody waits. */
  reset(): void;
}
