import { Counter, type Registry } from 'prom-client';
import type { SubmissionResult } from './batch/submission.ts';
import type { DeadLetter } from './dead-letters.ts';

/** What the intake counts of itself. */
export interface IngestMetrics {
  countStored(result: SubmissionResult, letters: readonly DeadLetter[]): void;
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
  return {
    countStored(result, rejected) {
      events.inc({ novelty: 'duplicate' }, result.duplicate);
      events.inc({ novelty: 'conflict' }, result.conflict);
      events.inc({ novelty: 'new' }, result.accepted - result.duplicate - result.conflict);
      skewed.inc(result.skewed);
      for (const letter of rejected) letters.inc({ code: letter.code });
    },
  };
}
