import type { DeadLetter } from '../dead-letters.ts';
import type { CoverageReport, DecisionEvent, PoolAnnouncement, RecordOutcome } from '../event/decision-event.ts';

/** Which messages of a topic a submission holds all of. */
export interface StreamSpan {
  readonly topic: string;
  readonly partition: number;
  /** `[fromOffset, toOffset)`. */
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly messages: number;
}

/** What one source hands over to be stored together: a request's body, or a piece of a file. */
export interface Submission {
  readonly decisions: readonly DecisionEvent[];
  readonly pools: readonly PoolAnnouncement[];
  readonly coverage: readonly CoverageReport[];
  readonly letters: readonly DeadLetter[];
  /** How each record would become a dead letter, should the store not take it; absent: then all of it fails. */
  readonly origins?: Origins;
  /** Noted beside what it became, once that is stored; absent for sources without offsets. */
  readonly span?: StreamSpan;
}

/** Makes the dead letter of one record. */
export type LetterMaker = (code: DeadLetter['code'], detail: string) => DeadLetter;

/** In the order of what they belong to. */
export interface Origins {
  readonly decisions: readonly LetterMaker[];
  readonly pools: readonly LetterMaker[];
  readonly coverage: readonly LetterMaker[];
}

/** What became of it, once it is durable. */
export interface SubmissionResult {
  /** Events taken, duplicates among them. */
  readonly accepted: number;
  /** Events that said nothing that was not stored already. */
  readonly duplicate: number;
  /** Events that disagree with another of their request, or carry its id with another tenant or arrival. */
  readonly conflict: number;
  /** Events whose clocks disagree: the wait is unknown. */
  readonly skewed: number;
  /** Records that the store does not take, now dead letters; absent when there are none. */
  readonly refused?: readonly DeadLetter[];
}

/** Gathers outcomes of records into a submission. */
export class SubmissionBuilder implements Submission {
  readonly decisions: DecisionEvent[] = [];
  readonly pools: PoolAnnouncement[] = [];
  readonly coverage: CoverageReport[] = [];
  readonly letters: DeadLetter[] = [];
  readonly origins?: { decisions: LetterMaker[]; pools: LetterMaker[]; coverage: LetterMaker[] };

  /** With `keepsOrigins` the records' own bytes stay in memory until it is stored: for sources that bound them. */
  constructor({ keepsOrigins }: { readonly keepsOrigins: boolean } = { keepsOrigins: false }) {
    if (keepsOrigins) this.origins = { decisions: [], pools: [], coverage: [] };
  }

  /** Adds one outcome; `letter` makes the dead letter of a rejected one. */
  add(outcome: RecordOutcome, letter: LetterMaker): void {
    switch (outcome.kind) {
      case 'decision':
        this.decisions.push(outcome.event);
        this.origins?.decisions.push(letter);
        break;
      case 'pool':
        this.pools.push(outcome.announcement);
        this.origins?.pools.push(letter);
        break;
      case 'coverage':
        this.coverage.push(outcome.report);
        this.origins?.coverage.push(letter);
        break;
      case 'rejected':
        this.letters.push(letter(outcome.code, outcome.detail));
        break;
      case 'skip':
        break;
    }
  }

  get size(): number {
    return this.decisions.length + this.pools.length + this.coverage.length + this.letters.length;
  }
}

/** Whether the recorded times contradict each other, so that the wait is unknown. */
export function isSkewed(event: DecisionEvent): boolean {
  const { arrivedAtMs, dispatchedAtMs, completedAtMs } = event;
  if (dispatchedAtMs !== null && dispatchedAtMs < arrivedAtMs) return true;
  return completedAtMs !== null && completedAtMs < (dispatchedAtMs ?? arrivedAtMs);
}
