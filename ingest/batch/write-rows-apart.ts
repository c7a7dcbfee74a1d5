import { isAboutRows } from '../../analytics/storage/index.ts';
import { assertInvariant } from '../../scheduler-core/kernel/index.ts';
import type { DeadLetter } from '../dead-letters.ts';
import type { LetterMaker, Submission, SubmissionResult } from './submission.ts';

/** Stores a submission whole, or throws and promises nothing. */
export type WriteSubmission = (submission: Submission) => Promise<SubmissionResult>;

/**
 * How often a refused submission is cut in two: enough for dozens of bad rows among thousands. When it does not suffice,
 * it is hardly the rows: then the store's refusal stands, and the process stops with it.
 */
const MAX_SPLITS = 1_000;

/** One record of a submission, and how it becomes a dead letter. */
interface Part {
  readonly part: Partial<Submission>;
  readonly letter: LetterMaker;
}

/**
 * Stores a submission that the store refuses for its rows: by halves, until what it does not take stands alone and
 * becomes a dead letter (`store_refused`). The dead letters come last, as always; doing it again changes nothing.
 *
 * @param refusal Thrown again where the records' origins are not known.
 * @throws What the store says of anything but rows, and of rows when there are too many of them.
 */
export async function writeRowsApart(
  write: WriteSubmission,
  submission: Submission,
  refusal: unknown,
): Promise<SubmissionResult> {
  const parts = partsOf(submission);
  if (parts === null) throw refusal;
  const found = { refused: [] as DeadLetter[], splitsLeft: MAX_SPLITS };
  const result = await writeParts(write, parts, found);
  await write({ ...NOTHING_ELSE, letters: [...submission.letters, ...found.refused] });
  return found.refused.length === 0 ? result : { ...result, refused: found.refused };
}

const NOTHING_ELSE: Submission = { decisions: [], pools: [], coverage: [], letters: [] };

async function writeParts(
  write: WriteSubmission,
  parts: readonly Part[],
  found: { readonly refused: DeadLetter[]; splitsLeft: number },
): Promise<SubmissionResult> {
  try {
    return await write(joined(parts));
  } catch (error) {
    const [only] = parts;
    if (!isAboutRows(error) || only === undefined || found.splitsLeft === 0) throw error;
    if (parts.length === 1) {
      found.refused.push(only.letter('store_refused', `the store does not take it: ${messageOf(error)}`));
      return { accepted: 0, duplicate: 0, conflict: 0, skewed: 0 };
    }
    found.splitsLeft--;
    const middle = Math.ceil(parts.length / 2);
    const first = await writeParts(write, parts.slice(0, middle), found);
    return added(first, await writeParts(write, parts.slice(middle), found));
  }
}

function partsOf({ decisions, pools, coverage, origins }: Submission): Part[] | null {
  if (origins === undefined) return null;
  const parts = [
    ...paired(decisions, origins.decisions, (one) => ({ decisions: [one] })),
    ...paired(pools, origins.pools, (one) => ({ pools: [one] })),
    ...paired(coverage, origins.coverage, (one) => ({ coverage: [one] })),
  ];
  assertInvariant(parts.length === decisions.length + pools.length + coverage.length, 'each record has its origin');
  return parts;
}

function paired<One>(all: readonly One[], letters: readonly LetterMaker[], part: (one: One) => Part['part']): Part[] {
  return all.flatMap((one, index) => {
    const letter = letters[index];
    return letter === undefined ? [] : [{ part: part(one), letter }];
  });
}

function joined(parts: readonly Part[]): Submission {
  return {
    decisions: parts.flatMap(({ part }) => part.decisions ?? []),
    pools: parts.flatMap(({ part }) => part.pools ?? []),
    coverage: parts.flatMap(({ part }) => part.coverage ?? []),
    letters: [],
  };
}

function added(one: SubmissionResult, other: SubmissionResult): SubmissionResult {
  return {
    accepted: one.accepted + other.accepted,
    duplicate: one.duplicate + other.duplicate,
    conflict: one.conflict + other.conflict,
    skewed: one.skewed + other.skewed,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
