import { Counter, Histogram, type Registry } from 'prom-client';
import { SECOND_MS } from '../scheduler-core/kernel/index.ts';
import type { BatchWatch } from './batch/batch-writer.ts';
import type { SubmissionResult } from './batch/submission.ts';
import type { DeadLetter } from './dead-letters.ts';

/** What the intake counts of itself. */
export interface IngestMetrics extends BatchWatch {
  countStored(result: SubmissionResult, letters: readonly DeadLetter[]): void;
  countSpans(spans: SpanCounts): void;
  /** Of one partition so many messages were stored: what they became is to add up to them. */
  countMessages(partition: number, became: MessageCounts): void;
}

/** What messages of a partition became: events, dead letters, or what pools and gateways announce and tombstones. */
export interface MessageCounts {
  readonly messages: number;
  readonly events: number;
  readonly letters: number;
}

/** What became of the spans of an export: events, nothing (they are no request), dead letters. */
export interface SpanCounts {
  readonly taken: number;
  readonly ignored: number;
  readonly rejected: number;
}

/** Registers the intake's counters. Labels hold reason codes only, never names from events. */
export function createIngestMetrics(registry: Registry): IngestMetrics {
  const events = new Counter({
    name: 'evenshare_ingest_events_total',
    help: 'Events stored, by what they added: new, duplicate, conflict.',
    labelNames: ['novelty'],
    registers: [registry],
  });
  const skewed = new Counter({
    name: 'evenshare_ingest_skewed_events_total',
    help: 'Events whose clocks disagree; their waits are unknown.',
    registers: [registry],
  });
  const letters = new Counter({
    name: 'evenshare_ingest_dead_letters_total',
    help: 'Records that became no event, by reason code.',
    labelNames: ['code'],
    registers: [registry],
  });
  const spans = new Counter({
    name: 'evenshare_ingest_spans_total',
    help: 'Spans of OpenTelemetry that came, by what became of them: taken, ignored (no request of ours), rejected.',
    labelNames: ['use'],
    registers: [registry],
  });
  const batches = new Histogram({
    name: 'evenshare_ingest_batch_events',
    help: 'Events, dead letters and announcements stored by one insert.',
    buckets: [1, 10, 100, 1_000, 5_000, 10_000, 20_000, 50_000],
    registers: [registry],
  });
  const flushes = new Histogram({
    name: 'evenshare_ingest_flush_seconds',
    help: 'How long the store took for one batch.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'evenshare_ingest_insert_errors_total',
    help: 'Batches that the store refused, by the code of the error; they are tried again or answered with it.',
    labelNames: ['code'],
    registers: [registry],
  });
  const messages = new Counter({
    name: 'evenshare_kafka_messages_total',
    help: 'Messages of the partitions of this process that are stored, by what they became: event, dead_letter, other.',
    labelNames: ['partition', 'became'],
    registers: [registry],
  });
  return {
    countMessages(partition, became) {
      const labels = { partition: String(partition) };
      messages.inc({ ...labels, became: 'event' }, became.events);
      messages.inc({ ...labels, became: 'dead_letter' }, became.letters);
      messages.inc({ ...labels, became: 'other' }, Math.max(0, became.messages - became.events - became.letters));
    },
    batchStored(events, durationMs) {
      batches.observe(events);
      flushes.observe(durationMs / SECOND_MS);
    },
    insertFailed(code) {
      failures.inc({ code });
    },
    countSpans({ taken, ignored, rejected }) {
      spans.inc({ use: 'taken' }, taken);
      spans.inc({ use: 'ignored' }, ignored);
      spans.inc({ use: 'rejected' }, rejected);
    },
    countStored(result, rejected) {
      events.inc({ novelty: 'duplicate' }, result.duplicate);
      events.inc({ novelty: 'conflict' }, result.conflict);
      events.inc({ novelty: 'new' }, result.accepted - result.duplicate - result.conflict);
      skewed.inc(result.skewed);
      for (const letter of rejected) letters.inc({ code: letter.code });
    },
  };
}
