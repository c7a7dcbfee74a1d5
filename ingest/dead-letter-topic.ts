import { EvenshareError } from '../scheduler-core/kernel/index.ts';
import type { BatchWriter } from './batch/batch-writer.ts';
import { type DeadLetter, deadLetterId } from './dead-letters.ts';
import type { EventLine, EventProducer } from './sources/kafka-producer.ts';
import { KEPT_BYTES } from './sources/line-framing.ts';

export const DEFAULT_DEAD_LETTERS_TOPIC = 'evenshare.dead-letters';

/** A message has room for its key and headers beside so much of a letter, within the 1 MiB that topics take by default. */
const MAX_VALUE_BYTES = 983_040;

/**
 * A writer that also puts dead letters on a topic, after they are in the store. Effects in order, each safe to repeat:
 * 1 what the writer stores, letters among it, 2 letters to the topic, 3 the answer, behind which offsets are committed.
 * What is repeated adds no row to the store; to the topic it may add messages with the same key.
 */
export function withDeadLetterTopic(writer: BatchWriter, producer: EventProducer): BatchWriter {
  return {
    submit: async (submission) => {
      const result = await writer.submit(submission);
      if (submission.letters.length > 0) await publish(producer, submission.letters);
      return result;
    },
    get pendingEvents() {
      return writer.pendingEvents;
    },
    drain: () => writer.drain(),
  };
}

async function publish(producer: EventProducer, letters: readonly DeadLetter[]): Promise<void> {
  for (const some of slices(letters)) {
    try {
      await producer.produce(some.map((letter) => deadLetterMessage(letter, MAX_VALUE_BYTES)));
    } catch (error) {
      // A topic that takes less than that must not hold up what comes behind the letter: its table has it whole.
      if (!(error instanceof EvenshareError) || error.code !== 'EVS_KAFKA_TOPIC') throw error;
      await producer.produce(some.map((letter) => deadLetterMessage(letter, KEPT_BYTES)));
    }
  }
}

/** Under what a producer lets wait, whatever else does. */
const SLICE_BYTES = 4_194_304;

function* slices(letters: readonly DeadLetter[]): Generator<readonly DeadLetter[]> {
  for (let from = 0; from < letters.length; ) {
    let to = from;
    for (let bytes = 0; to < letters.length; to++) {
      bytes += letters[to]?.raw.byteLength ?? 0;
      if (to > from && bytes > SLICE_BYTES) break;
    }
    yield letters.slice(from, to);
    from = to;
  }
}

/**
 * A dead letter as a message: its bytes are the value, at most so many, what is known of it stands in headers
 * (docs/dead-letters.md). The key is its id, the same whenever and however often the record comes.
 */
export function deadLetterMessage(letter: DeadLetter, maxValueBytes: number): EventLine {
  const { code, detail, source, position, format, receivedAtMs, raw } = letter;
  const id = deadLetterId(letter);
  const [, topic, partition] = /^kafka:([^/]+)\/(\d+)$/.exec(source) ?? [];
  const isCut = raw.byteLength > maxValueBytes;
  return {
    key: id,
    value: Buffer.from(isCut ? raw.subarray(0, maxValueBytes) : raw),
    headers: {
      'evenshare-id': id,
      'evenshare-code': code,
      'evenshare-detail': detail,
      'evenshare-source': source,
      'evenshare-position': String(position),
      ...(topic === undefined || partition === undefined
        ? {}
        : { 'evenshare-topic': topic, 'evenshare-partition': partition, 'evenshare-offset': String(position) }),
      'evenshare-format': format,
      'evenshare-received-at-ms': String(receivedAtMs),
      ...(isCut ? { 'evenshare-bytes': String(raw.byteLength) } : {}),
    },
  };
}
