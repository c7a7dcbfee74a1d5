import type { AdapterOptions } from '../../../ingest/adapters/index.ts';
import type { DecisionEvent, RecordOutcome } from '../../../ingest/event/decision-event.ts';
import { readOne } from './records.ts';

/** An object as a line of a format; fields given as undefined are left out. */
export function readJson(format: string, record: unknown, options: Partial<AdapterOptions> = {}): RecordOutcome {
  return readOne(format, { text: JSON.stringify(record) }, options);
}

/** The event of a record that must be one. */
export function eventOf(format: string, record: unknown, options: Partial<AdapterOptions> = {}): DecisionEvent {
  const outcome = readJson(format, record, options);
  if (outcome.kind !== 'decision') throw new Error(`no event: ${JSON.stringify(outcome)}`);
  return outcome.event;
}

/** Wait and service of an event in ms, as its times say; null where one of them is not there. */
export function spans(event: DecisionEvent): { readonly waitMs: number | null; readonly serviceMs: number | null } {
  const { arrivedAtMs, dispatchedAtMs, completedAtMs } = event;
  return {
    waitMs: dispatchedAtMs === null ? null : dispatchedAtMs - arrivedAtMs,
    serviceMs: dispatchedAtMs === null || completedAtMs === null ? null : completedAtMs - dispatchedAtMs,
  };
}
