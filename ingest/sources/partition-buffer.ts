import { SubmissionBuilder } from '../batch/submission.ts';

/** Messages of one partition, without a gap, to be stored together. */
export interface BufferedBatch {
  readonly submission: SubmissionBuilder;
  readonly messages: number;
  readonly bytes: number;
  /** To be committed once it is stored. */
  readonly nextOffset: number;
}

export interface BatchLimits {
  readonly maxMessages: number;
  /** Of message values. */
  readonly maxBytes: number;
}

interface OpenBatch {
  submission: SubmissionBuilder;
  messages: number;
  bytes: number;
  nextOffset: number;
}

/** What was taken from one partition and is not stored yet, in order, cut into batches. */
export class PartitionBuffer {
  readonly #limits: BatchLimits;
  readonly #full: BufferedBatch[] = [];
  #open: OpenBatch | null = null;
  #messages = 0;
  #bytes = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Neither a message nor an offset waits. */
  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#open === null;
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Adds one message; `read` writes what it says into the batch that is open. */
  add(bytes: number, nextOffset: number, read: (into: SubmissionBuilder) => void): void {
    const open = this.#opened(nextOffset);
    read(open.submission);
    open.messages++;
    open.bytes += bytes;
    this.#messages++;
    this.#bytes += bytes;
    if (open.messages >= this.#limits.maxMessages || open.bytes >= this.#limits.maxBytes) this.#close();
  }

  /** Nothing to store lies before this offset that is not in the buffer. */
  advance(nextOffset: number): void {
    this.#opened(nextOffset);
  }

  /** The oldest batch; one that is still open only when asked for. It stays in the buffer until `remove`. */
  oldest(isOpenToo: boolean): BufferedBatch | null {
    if (this.#full.length === 0 && isOpenToo) this.#close();
    return this.#full[0] ?? null;
  }

  /** The oldest batch is stored. */
  remove(): void {
    const batch = this.#full.shift();
    this.#messages -= batch?.messages ?? 0;
    this.#bytes -= batch?.bytes ?? 0;
  }

  #opened(nextOffset: number): OpenBatch {
    this.#open ??= { submission: new SubmissionBuilder({ keepsOrigins: true }), messages: 0, bytes: 0, nextOffset };
    this.#open.nextOffset = nextOffset;
    return this.#open;
  }

  #close(): void {
    if (this.#open !== null) this.#full.push(this.#open);
    this.#open = null;
  }
}
