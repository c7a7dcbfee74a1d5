import { type RecordOutcome, reject } from '../event/decision-event.ts';

export interface TimeLimits {
  /** Arrivals further in the future are refused, ms. */
  readonly maxFutureMs: number;
  /** Arrivals further in the past are refused, ms. */
  readonly latenessMs: number;
}

/** When a record came. Epoch ms. */
export interface ReceiptTimes {
  /** By this process's clock. */
  readonly nowMs: number;
  /**
   * Since when the record has been waiting to be read; not after `nowMs`. How late an event is must not depend on how
   * long this process was down.
   */
  readonly heldSinceMs: number;
}

/**
 * Refuses a decision of a stream that arrived too far in the future (`in_future`) or too long ago (`too_late`), both
 * seen from its receipt. Anything else passes as it is: files may be of any age and are not asked.
 */
export function checkTime(outcome: RecordOutcome, receipt: ReceiptTimes, limits: TimeLimits): RecordOutcome {
  if (outcome.kind !== 'decision') return outcome;
  const { arrivedAtMs } = outcome.event;
  if (arrivedAtMs > receipt.nowMs + limits.maxFutureMs) {
    const aheadS = Math.round((arrivedAtMs - receipt.nowMs) / 1000);
    return reject(
      'in_future',
      `arrived_at lies ${aheadS} s in the future by this server's clock: set the gateway's clock`,
    );
  }
  if (arrivedAtMs < receipt.heldSinceMs - limits.latenessMs) {
    return reject('too_late', 'arrived_at is older than the accepted lateness: load old events from a file instead');
  }
  return outcome;
}
