import { isUtf8 } from 'node:buffer';
import type { Store } from '../analytics/storage/index.ts';
import { EvenshareError } from '../scheduler-core/kernel/index.ts';
import { type Adapter, type AdapterOutcome, eachOutcome, type RawRecord } from './adapters/index.ts';
import type { BatchWriter } from './batch/batch-writer.ts';
import { SubmissionBuilder } from './batch/submission.ts';
import { type DeadLetter, type DeadLetterRetry, storeRetries } from './dead-letters.ts';
import { type RecordOutcome, type Rejection, reject } from './event/decision-event.ts';
import { checkTime } from './sources/check-time.ts';

/** A dead letter as the store has it. */
export interface KeptLetter extends Pick<DeadLetter, 'source' | 'position' | 'format' | 'raw'> {
  readonly id: string;
  /** The reason with which it came. */
  readonly cameCode: string;
}

export interface RetryOptions {
  readonly store: Store;
  readonly writer: BatchWriter;
  readonly nowMs: () => number;
  /** Arrivals of streams that lie further in the future are refused, ms. How old they are is not asked. */
  readonly maxFutureMs: number;
  /** As which format a letter is read; called once per letter, so keep what is open. Throws `EVS_USAGE`. */
  readonly formatOf: (letter: KeptLetter) => RetryFormat;
}

export interface RetryFormat {
  readonly adapter: Adapter;
  /** As the adapter opened it. */
  readonly parse: (record: RawRecord) => AdapterOutcome;
}

/**
 * What became of one letter:
 * - `stored`: all that it holds is an event now; `duplicate` counts those that said nothing new;
 * - `refused`: it stays, with this reason;
 * - `impossible`: it cannot be tried at all, and stays as it was.
 */
export type RetryResult =
  | { readonly id: string; readonly kind: 'stored'; readonly events: number; readonly duplicate: number }
  | { readonly id: string; readonly kind: 'refused'; readonly code: Rejection['code']; readonly detail: string }
  | { readonly id: string; readonly kind: 'impossible'; readonly detail: string };

/**
 * Tries letters again. Effects in order, each safe to repeat: 1 events, 2 what became of the letters. Cut off between the
 * two, the next retry stores the same events again, which changes nothing.
 *
 * @throws EVS_STORE_…, EVS_BUSY when the store does not take what it should; what was noted until then holds.
 */
export async function retryLetters(letters: readonly KeptLetter[], options: RetryOptions): Promise<RetryResult[]> {
  const results = await Promise.all(letters.map((letter) => retryLetter(letter, options)));
  const retriedAtMs = options.nowMs();
  const notes = results.flatMap((result): DeadLetterRetry[] => {
    if (result.kind === 'impossible') return [];
    const refusal = result.kind === 'stored' ? null : { code: result.code, detail: result.detail };
    return [{ id: result.id, retriedAtMs, refusal }];
  });
  await storeRetries(options.store, notes);
  return results;
}

/** What a letter would be now, without storing anything. */
export function previewRetry(letter: KeptLetter, options: Omit<RetryOptions, 'store' | 'writer'>): RetryResult {
  const read = readLetter(letter, options);
  return 'events' in read ? { id: letter.id, kind: 'stored', events: read.events.size, duplicate: 0 } : read;
}

async function retryLetter(letter: KeptLetter, options: RetryOptions): Promise<RetryResult> {
  const read = readLetter(letter, options);
  if (!('events' in read)) {
    // Of a record that holds several, those that are events are stored all the same.
    if (read.beside !== undefined && read.beside.size > 0) await options.writer.submit(read.beside);
    return read;
  }
  try {
    // One submission each, so that a row that the store cannot take refuses its own letter and no other.
    const { accepted, duplicate } = await options.writer.submit(read.events);
    return { id: letter.id, kind: 'stored', events: Math.max(accepted, read.events.size), duplicate };
  } catch (error) {
    if (!(error instanceof EvenshareError) || error.retryable || error.code !== 'EVS_STORE_FAILED') throw error;
    return { id: letter.id, kind: 'refused', code: 'store_refused', detail: error.message };
  }
}

type Read =
  | { readonly events: SubmissionBuilder }
  | (Exclude<RetryResult, { kind: 'stored' }> & { readonly beside?: SubmissionBuilder });

function readLetter(letter: KeptLetter, options: Omit<RetryOptions, 'store' | 'writer'>): Read {
  const { id, cameCode } = letter;
  if (cameCode === 'line_too_long') {
    return {
      id,
      kind: 'impossible',
      detail: 'only its first bytes were kept: send the record again, in less than 1 MiB',
    };
  }
  const { adapter, parse } = options.formatOf(letter);
  if (adapter.framing !== 'lines') {
    const detail = `a row of format ${adapter.name} cannot be read without its header: mend the file and load it again`;
    return { id, kind: 'impossible', detail };
  }
  const outcomes = parseLetter(parse, letter).map((outcome) => checkAhead(letter, outcome, options));
  const events = new SubmissionBuilder();
  for (const outcome of outcomes) if (outcome.kind !== 'rejected') events.add(outcome, neverALetter);
  const refusal = outcomes.find((outcome) => outcome.kind === 'rejected') ?? refuseNothing(events);
  if (refusal === null) return { events };
  return { id, kind: 'refused', code: refusal.code, detail: refusal.detail, beside: events };
}

function parseLetter(
  parse: (record: RawRecord) => AdapterOutcome,
  { raw, position, cameCode }: KeptLetter,
): readonly RecordOutcome[] {
  if (!isUtf8(raw)) return [reject('not_utf8', 'the record is not UTF-8')];
  const text = Buffer.from(raw).toString('utf8');
  const record: RawRecord = { text, fields: null, line: position };
  return eachOutcome(parse(cameCode === 'torn_line' ? { ...record, isUnterminated: true } : record));
}

/** Whoever retries old records means them; one from the future of a stream would move the windows' clock. */
function checkAhead(letter: KeptLetter, outcome: RecordOutcome, options: Pick<RetryOptions, 'nowMs' | 'maxFutureMs'>) {
  if (!/^(kafka|http):/.test(letter.source)) return outcome;
  const nowMs = options.nowMs();
  const limits = { maxFutureMs: options.maxFutureMs, latenessMs: Number.POSITIVE_INFINITY };
  return checkTime(outcome, { nowMs, heldSinceMs: nowMs }, limits);
}

function refuseNothing(events: SubmissionBuilder): Rejection | null {
  return events.size > 0 ? null : reject('empty_value', 'the record holds no event');
}

function neverALetter(code: string): never {
  throw new EvenshareError('EVS_INVARIANT', `a letter of a letter: ${code}`);
}
