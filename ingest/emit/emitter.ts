import type { EmittedEvent } from './emitted-event.ts';

export interface EmitterStats {
  /** Events that were taken. */
  readonly emitted: number;
  /** Of these, events that the other side has: durable, those it rejected included. */
  readonly delivered: number;
  /** Of the delivered, events that it keeps as dead letters, with the reason. Over Kafka nobody can know: 0. */
  readonly rejected: number;
  /** Events that are lost, by the reason; the sum is what is missing in every figure that Evenshare shows. */
  readonly dropped: {
    /** There was no room. */
    readonly buffer_full: number;
    /** No JSON can be made of it, or over 1 MiB of it. */
    readonly unreadable: number;
    /** The other side will never take it. */
    readonly refused: number;
    /** Still there when the emitter was closed, or emitted afterwards. */
    readonly closed: number;
  };
  /** Attempts that failed and were made again. */
  readonly retries: number;
  readonly bufferedEvents: number;
  readonly bufferedBytes: number;
}

export interface Emitter {
  /**
   * Takes an event, as it is now, to be sent a little later. Returns at once; never throws.
   *
   * @returns false when it was dropped (see `stats().dropped`).
   */
  emit(event: EmittedEvent): boolean;
  /**
   * Sends what is buffered without waiting for more. Resolves with true once all that was emitted before is delivered or
   * given up, with false after `limitMs` (default 10 s). Never rejects.
   */
  flush(limitMs?: number): Promise<boolean>;
  /** Flushes, then lets go of everything; what is left after the limit is dropped. Idempotent; never rejects. */
  close(limitMs?: number): Promise<boolean>;
  stats(): EmitterStats;
}
