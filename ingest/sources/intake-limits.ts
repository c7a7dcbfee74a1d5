/** What is held in memory and how it is cut. Messages are counted, and the bytes of their values. */
export interface IntakeLimits {
  readonly maxBatchMessages: number;
  readonly maxBatchBytes: number;
  /** What is not yet a batch is stored after so long, ms. */
  readonly maxDelayMs: number;
  /** Over all partitions; one fetch may come on top. */
  readonly maxHeldMessages: number;
  readonly maxHeldBytes: number;
}

/** The bytes stay below those from which the store would parse an insert in several blocks. */
export const DEFAULT_MESSAGE_LIMITS: IntakeLimits = {
  maxBatchMessages: 15_000,
  maxBatchBytes: 8 * 1024 * 1024,
  maxDelayMs: 1_000,
  maxHeldMessages: 100_000,
  maxHeldBytes: 64 * 1024 * 1024,
};
