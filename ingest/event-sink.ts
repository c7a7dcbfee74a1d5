import type { BatchWriter } from './batch/batch-writer.ts';
import type { Submission, SubmissionResult } from './batch/submission.ts';
import type { EventLine, EventProducer } from './sources/kafka-producer.ts';

/** What became of what was posted, once it is durable. */
export interface SinkResult {
  readonly accepted: number;
  /** null where nobody can know yet, with the reason. */
  readonly duplicate: number | null;
  readonly duplicateReason: string | null;
  readonly conflict: number | null;
  readonly skewed: number;
}

/** Where posted events go: the store itself, or the topic that ingest processes read. */
export interface EventSink {
  /** Whether `accept` needs the events' own texts. */
  readonly wantsLines: boolean;
  /** Resolves once all of it is durable; `lines` holds the accepted records in their own words. */
  accept(submission: Submission, lines: readonly EventLine[]): Promise<SinkResult>;
  /** Straight into the store: for what has no text of its own as an event. Resolves once all of it is durable. */
  store(submission: Submission): Promise<SubmissionResult>;
}

export function storeSink(writer: BatchWriter): EventSink {
  return {
    wantsLines: false,
    store: (submission) => writer.submit(submission),
    accept: async (submission) => {
      const { accepted, duplicate, conflict, skewed } = await writer.submit(submission);
      return { accepted, duplicate, duplicateReason: null, conflict, skewed };
    },
  };
}

/** Events to the topic, dead letters into the store; both are durable before the answer. */
export function kafkaSink(producer: EventProducer, writer: BatchWriter): EventSink {
  return {
    wantsLines: true,
    store: (submission) => writer.submit(submission),
    accept: async ({ decisions, letters }, lines) => {
      if (lines.length > 0) await producer.produce(lines);
      if (letters.length > 0) await writer.submit({ decisions: [], pools: [], coverage: [], letters });
      return {
        accepted: decisions.length,
        duplicate: null,
        duplicateReason: 'kafka_takes_the_events',
        conflict: null,
        skewed: 0,
      };
    },
  };
}
