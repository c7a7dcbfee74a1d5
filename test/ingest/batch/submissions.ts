import type { Submission } from '../../../ingest/batch/submission.ts';
import type { DeadLetter } from '../../../ingest/dead-letters.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { event } from '../../support/temporary-store.ts';

export const NOW_MS = 1_790_848_800_000;

/** A submission of what is given, and nothing else. */
export function submission(given: Partial<Submission>): Submission {
  return { decisions: [], pools: [], coverage: [], letters: [], ...given };
}

/** A request that arrived a little before now. */
export function request(requestId: string, given: Partial<DecisionEvent> = {}): DecisionEvent {
  return event({ requestId, tenant: 'a', arrivedAtMs: NOW_MS - 10_000, ...given });
}

export function letter(position: number, given: Partial<DeadLetter> = {}): DeadLetter {
  return {
    receivedAtMs: NOW_MS,
    code: 'not_json',
    detail: 'no JSON',
    source: 'file.ndjson',
    position,
    format: 'evenshare',
    raw: Buffer.from(`{${position}`),
    ...given,
  };
}
