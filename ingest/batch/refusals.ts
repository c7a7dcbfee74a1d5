import type { DeadLetter } from '../dead-letters.ts';
import type { RefusedRow } from './insert-apart.ts';
import type { Origins, Submission } from './submission.ts';

/**
 * What became of rows that the store does not take: dead letters (`store_refused`) where their origin is known, else the
 * failure of the submission that they came with, and of no other.
 */
export class Refusals {
  readonly #submissions: readonly Submission[];
  readonly #letters = new Map<number, DeadLetter[]>();
  readonly #failures = new Map<number, unknown>();

  constructor(submissions: readonly Submission[]) {
    this.#submissions = submissions;
  }

  /** Rows of one kind, counted over all submissions in their order. */
  add(kind: keyof Origins, rows: readonly RefusedRow[]): void {
    for (const { index, error } of rows) {
      const [submission, place] = this.#placeOf(kind, index);
      const letter = this.#submissions[submission]?.origins?.[kind][place];
      if (letter === undefined) {
        this.#failures.set(submission, error);
        continue;
      }
      const letters = this.#letters.get(submission) ?? [];
      letters.push(letter('store_refused', `the store does not take it: ${messageOf(error)}`));
      this.#letters.set(submission, letters);
    }
  }

  get isEmpty(): boolean {
    return this.#letters.size === 0 && this.#failures.size === 0;
  }

  get letters(): DeadLetter[] {
    return [...this.#letters.values()].flat();
  }

  /** Of the submission with that number. */
  lettersOf(submission: number): readonly DeadLetter[] {
    return this.#letters.get(submission) ?? [];
  }

  /** Why the submission failed; undefined when it did not. */
  failureOf(submission: number): unknown {
    return this.#failures.get(submission);
  }

  #placeOf(kind: keyof Origins, index: number): [submission: number, place: number] {
    let place = index;
    for (const [number, submission] of this.#submissions.entries()) {
      if (place < submission[kind].length) return [number, place];
      place -= submission[kind].length;
    }
    return [-1, place];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
