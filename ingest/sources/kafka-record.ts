import { isAscii, isUtf8 } from 'node:buffer';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import {
  type Adapter,
  type AdapterOptions,
  type AdapterOutcome,
  eachOutcome,
  type RawRecord,
} from '../adapters/index.ts';
import type { SubmissionBuilder } from '../batch/submission.ts';
import { type RecordOutcome, type Rejection, reject } from '../event/decision-event.ts';
import { checkTime, type TimeLimits } from './check-time.ts';
import { KEPT_BYTES, MAX_LINE_BYTES } from './line-framing.ts';
import type { SourceMessage } from './message-source.ts';

export interface MessageFormat {
  readonly topic: string;
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
  readonly limits: TimeLimits;
}

/** Adds what a message says to a submission; `nowMs` is when it was received. */
export type MessageReader = (
  into: SubmissionBuilder,
  message: SourceMessage,
  from: { readonly partition: number; readonly nowMs: number },
) => void;

/**
 * Reads the value of each message as one record of a format. What is no event becomes a dead letter from
 * `kafka:<topic>/<partition>` with the offset as its position and the bytes as they came.
 *
 * @throws EVS_USAGE for a format whose records are no messages, or wrong options of it.
 */
export function createMessageReader({ topic, adapter, adapterOptions, limits }: MessageFormat): MessageReader {
  if (adapter.framing !== 'lines') {
    throw new EvenshareError(
      'EVS_USAGE',
      `format ${adapter.name} cannot be read from Kafka: its rows need a header that messages do not have; use evenshare`,
    );
  }
  const parse = adapter.open(adapterOptions);
  return (into, message, { partition, nowMs }) => {
    const value = message.value ?? EMPTY;
    const heldSinceMs = Math.min(nowMs, message.writtenAtMs ?? nowMs);
    for (const parsed of parseValue(parse, value, message.offset)) {
      const outcome = checkTime(parsed, { nowMs, heldSinceMs }, limits);
      const own = outcome.kind === 'rejected' ? outcome.raw : undefined;
      into.add(outcome, (code, detail) => ({
        receivedAtMs: nowMs,
        code,
        detail,
        source: `kafka:${topic}/${partition}`,
        position: message.offset,
        format: adapter.name,
        raw: own === undefined ? keptBytes(value) : Buffer.from(own),
      }));
    }
  };
}

const EMPTY = new Uint8Array();

/** The message as it came; of an oversized one the first bytes. */
function keptBytes(value: Uint8Array): Uint8Array {
  return Uint8Array.from(value.length > MAX_LINE_BYTES ? value.subarray(0, KEPT_BYTES) : value);
}

function parseValue(
  parse: (record: RawRecord) => AdapterOutcome,
  value: Uint8Array,
  offset: number,
): readonly RecordOutcome[] {
  const refusal = refuseBytes(value);
  if (refusal !== null) return [refusal];
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const outcome = parse({ text, fields: null, line: offset });
  // A file may hold blank lines and headers; whoever sends a message means an event.
  return outcome.kind === 'skip' ? [reject('empty_value', 'the message holds no record')] : eachOutcome(outcome);
}

function refuseBytes(value: Uint8Array): Rejection | null {
  if (value.length === 0) return reject('empty_value', 'the message has no value');
  if (value.length > MAX_LINE_BYTES) {
    return reject('line_too_long', `the message has ${value.length} bytes, at most ${MAX_LINE_BYTES} are read`);
  }
  return isUtf8(value) ? null : reject('not_utf8', 'the message is not UTF-8: let the producer send JSON text');
}
