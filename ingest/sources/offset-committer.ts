import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { MessageSource } from './message-source.ts';
import type { TroubleLog } from './trouble-log.ts';

/** How far a partition has come. */
export interface StoredPartition {
  readonly partition: number;
  /** Everything before it is stored; what is committed is never beyond. */
  storedOffset: number;
  /** Null while the group has committed nothing. */
  committedOffset: number | null;
}

export interface OffsetCommitterOptions {
  /** Where to commit now; null while there is none. */
  readonly source: () => MessageSource | null;
  /** The partitions that are this process's now. */
  readonly partitions: () => Iterable<StoredPartition>;
  readonly trouble: TroubleLog;
  /** Told of what is no failure of Kafka. */
  readonly onFailure: (error: unknown) => void;
}

/** Commits what is stored: one commit at a time, each of everything that is stored by then. */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions;
  #underWay: Promise<void> | null = null;
  #isWanted = false;

  constructor(options: OffsetCommitterOptions) {
    this.#options = options;
  }

  /** Returns at once. What cannot be committed now is left for the next request. */
  request(): void {
    this.#isWanted = true;
    this.#underWay ??= this.#commitAll().then(
      () => {
        this.#underWay = null;
        // Asked for after the last look at what is due.
        if (this.#isWanted) this.request();
      },
      (error: unknown) => this.#options.onFailure(error),
    );
  }

  /** Resolves once everything that was requested is answered. */
  async idle(): Promise<void> {
    while (this.#underWay !== null) await this.#underWay;
  }

  async #commitAll(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      const source = this.#options.source();
      const due = [...this.#options.partitions()].filter((one) => one.committedOffset !== one.storedOffset);
      if (source === null || due.length === 0) return;
      const offsets = new Map(due.map((one) => [one.partition, one.storedOffset]));
      if (!(await this.#commit(source, offsets))) return;
      for (const one of due) one.committedOffset = offsets.get(one.partition) ?? null;
    }
  }

  async #commit(source: MessageSource, offsets: ReadonlyMap<number, number>): Promise<boolean> {
    const { trouble } = this.#options;
    try {
      if (!(await source.commit(offsets))) return false;
      trouble.worked();
      return true;
    } catch (error) {
      if (!(error instanceof EvenshareError)) throw error;
      trouble.failed(error);
      return false;
    }
  }
}
