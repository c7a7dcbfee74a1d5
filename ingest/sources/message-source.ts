/** One message as the broker keeps it. */
export interface SourceMessage {
  readonly offset: number;
  /** Null for a tombstone. The bytes are the fetch's own: copy what is kept. */
  readonly value: Uint8Array | null;
  /** When its producer or broker says that it was written, epoch ms; null when neither does. */
  readonly writtenAtMs: number | null;
}

/** Where a partition is read from. */
export interface StartPosition {
  readonly offset: number;
  /** The group has committed this very offset. */
  readonly isCommitted: boolean;
}

/** Who takes messages. Every call returns at once: what takes time is done elsewhere, and `pause` holds messages back. */
export interface MessageSink {
  /** The group is dividing its partitions again: what was taken and is not committed will come again, to whomever. */
  revoke(): void;
  /** The partitions of `source` that are this process's from now on; after `revoke`, before the first message. */
  assign(source: MessageSource, starts: ReadonlyMap<number, StartPosition>): void;
  /**
   * Messages of a partition, following without a gap on those before. `nextOffset` is what is to be committed once they
   * are stored; it may lie beyond the last message, and there may be none at all.
   */
  take(partition: number, messages: readonly SourceMessage[], nextOffset: number): void;
  /** The broker has answered: the partition ends here now. */
  sawEnd(partition: number, endOffset: number): void;
  /** The loop that asks brokers for messages has turned once without a failure. */
  turned(): void;
}

/** A membership in a consumer group, from joining to leaving. */
export interface MessageSource {
  /** Rejects when the membership has ended by itself: `EVS_KAFKA_…`. Never resolves. */
  readonly failed: Promise<never>;
  pause(partition: number): void;
  resume(partition: number): void;
  /**
   * Commits by partition the offset from which to read next; false when it is not, because the group is dividing its
   * partitions again or the membership is ending: then the messages may come again.
   *
   * @throws EVS_KAFKA_…; then too.
   */
  commit(nextOffsets: ReadonlyMap<number, number>): Promise<boolean>;
  /** Where the partitions of the topic end now. Throws `EVS_KAFKA_…`. */
  endOffsets(): Promise<ReadonlyMap<number, number>>;
  /** Leaves the group and disconnects. What is not committed by then will come again. */
  close(): Promise<void>;
}

/** The time of a shell, as cli/clock.ts has it. */
export interface SourceClock {
  nowMs(): number;
  /** Resolves after `durationMs`, or as soon as the signal aborts. Never rejects. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** What a source says of itself while it runs; a pino logger is one. */
export interface SourceLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
