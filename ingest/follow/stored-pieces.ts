import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type AdapterOutcome, eachOutcome, type FramedRecord, type RawRecord } from '../adapters/adapter.ts';
import type { BatchWriter } from '../batch/batch-writer.ts';
import { SubmissionBuilder } from '../batch/submission.ts';
import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { addResult, bytesOf, emptyReport, type LoadReport } from '../load-report.ts';
import { backoffMs } from '../sources/backoff.ts';
import type { FollowPosition, PositionStore } from './follow-position.ts';
import type { ReadPiece } from './followed-log.ts';

export interface StoredPiecesOptions {
  readonly parse: (record: RawRecord) => AdapterOutcome;
  readonly format: string;
  readonly writer: BatchWriter;
  readonly positions: PositionStore;
  readonly nowMs: () => number;
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onTrouble: (message: string) => void;
}

const EVENTS_PER_SUBMISSION = 10_000;
/** Refused records may be a megabyte each. */
const LETTER_BYTES_PER_SUBMISSION = 8_388_608;
const MAX_STORE_WAIT_MS = 30_000;

/** When nothing among so many first records is an event, the format is wrong. Until there is one nothing is stored. */
const FORMAT_CHECK_RECORDS = 100;

/**
 * Stores what is read and moves the position behind it, in this order: 1 the records are stored, 2 the position says so. A
 * crash in between reads some again, which changes nothing.
 */
export class StoredPieces {
  readonly report: LoadReport = emptyReport();
  readonly #options: StoredPiecesOptions;
  #builder = new SubmissionBuilder();
  #letterBytes = 0;
  #position: FollowPosition | null = null;
  #written: FollowPosition | null = null;
  /** The submission under way: one is stored while the next is read. */
  #underWay: Promise<void> = Promise.resolve();
  #records = 0;
  #hasEvent: boolean;

  /** @param isKnownFormat An earlier run has found events in this log. */
  constructor(options: StoredPiecesOptions, isKnownFormat: boolean) {
    this.#options = options;
    this.#hasEvent = isKnownFormat;
  }

  /** Up to where records were added; null before the first. */
  get position(): FollowPosition | null {
    return this.#position;
  }

  /** @throws EVS_INPUT_FORMAT when nothing reads as the format; what the store throws for good. */
  async add(path: string, { records, position }: ReadPiece): Promise<void> {
    for (const framed of records) {
      this.#records++;
      const outcomes =
        framed.kind === 'refused'
          ? [reject(framed.code, framed.detail)]
          : eachOutcome(this.#options.parse(framed.record));
      for (const outcome of outcomes) this.#take(path, framed, outcome);
    }
    this.#position = position;
    if (!this.#hasEvent) {
      if (this.#records >= FORMAT_CHECK_RECORDS) this.#refuseFormat(path);
      return;
    }
    const isFull = this.#builder.size >= EVENTS_PER_SUBMISSION || this.#letterBytes >= LETTER_BYTES_PER_SUBMISSION;
    if (isFull) await this.#submit();
  }

  /** Resolves once everything that was added is stored and the position says so. */
  async flush(): Promise<void> {
    if (this.#hasEvent || this.#builder.size === 0) await this.#submit();
    await this.#underWay;
  }

  /** Notes where the next file begins, once everything of those before is stored. */
  async moveTo(position: FollowPosition): Promise<void> {
    // What was refused in a file that is over is kept, whatever its format was.
    this.#hasEvent ||= this.#builder.size > 0;
    await this.flush();
    this.#position = position;
    await this.flush();
  }

  async #submit(): Promise<void> {
    await this.#underWay;
    const [submission, position] = [this.#builder, this.#position];
    if (position === null || (submission.size === 0 && position === this.#written)) return;
    this.#builder = new SubmissionBuilder();
    this.#letterBytes = 0;
    const stored = this.#store(submission, position);
    // Whoever awaits it learns of a failure; until then it is not unhandled.
    stored.catch(() => undefined);
    this.#underWay = stored;
  }

  async #store(submission: SubmissionBuilder, position: FollowPosition): Promise<void> {
    const { writer, signal, sleep, positions, onTrouble } = this.#options;
    for (let attempt = 0; submission.size > 0; attempt++) {
      try {
        addResult(this.report, submission, await writer.submit(submission));
        if (attempt > 0) onTrouble('the store takes events again');
        break;
      } catch (error) {
        if (!(error instanceof EvenshareError && error.retryable)) throw error;
        if (attempt === 0) onTrouble(`${error.message}; trying again`);
        if (signal.aborted) throw error;
      }
      await sleep(backoffMs(attempt, MAX_STORE_WAIT_MS), signal);
    }
    await positions.write(position);
    this.#written = position;
  }

  #take(path: string, framed: FramedRecord, outcome: RecordOutcome): void {
    this.#hasEvent ||= outcome.kind !== 'rejected' && outcome.kind !== 'skip';
    const { report } = this;
    const { line } = framed.kind === 'refused' ? framed : framed.record;
    this.#builder.add(outcome, (code, detail) => {
      if (report.rejected[code] === undefined) report.samples.push({ line, code, detail });
      report.rejected[code] = (report.rejected[code] ?? 0) + 1;
      const raw = bytesOf(framed, outcome);
      this.#letterBytes += raw.byteLength;
      const { format, nowMs } = this.#options;
      return { receivedAtMs: nowMs(), code, detail, source: path, position: line, format, raw };
    });
  }

  #refuseFormat(path: string): never {
    const sample = this.report.samples[0];
    const why = sample === undefined ? '' : ` (line ${sample.line}: ${sample.code}, ${sample.detail})`;
    throw new EvenshareError(
      'EVS_INPUT_FORMAT',
      `${JSON.stringify(path)} does not read as format ${this.#options.format}: no record of it is an event${why}; name the right one with --format`,
    );
  }
}
