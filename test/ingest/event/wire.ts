import type { DecisionEvent, RecordOutcome } from '../../../ingest/event/decision-event.ts';
import { type ParseOptions, parseDecision } from '../../../ingest/event/parse-event.ts';

export const OPTIONS: ParseOptions = { defaultPool: 'default', defaultTenant: null };

/** The least that a decision says. */
export const LEAST = { request_id: 'r1', tenant: 'acme', arrived_at: 1_772_446_504_127 };

/** `LEAST` with other fields over it, parsed. */
export function parseWith(fields: Readonly<Record<string, unknown>>, options: ParseOptions = OPTIONS): RecordOutcome {
  return parseDecision({ ...LEAST, ...fields }, options);
}

/** The event of an outcome; fails the test with the rejection when there is none. */
export function eventOf(outcome: RecordOutcome): DecisionEvent {
  if (outcome.kind === 'decision') return outcome.event;
  throw new Error(`expected a decision, not ${JSON.stringify(outcome)}`);
}

/** `code: detail` of a rejection, else its kind. */
export function verdictOf(outcome: RecordOutcome): string {
  return outcome.kind === 'rejected' ? `${outcome.code}: ${outcome.detail}` : outcome.kind;
}
