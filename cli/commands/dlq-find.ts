import { type DeadLetterEntry, readDeadLetters, type Store } from '../../analytics/index.ts';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

/** The one letter whose id begins so; throws `EVS_USAGE` when there is none or more than one. */
export async function findLetter(store: Store, prefix: string): Promise<DeadLetterEntry> {
  const [letter, other] = await readDeadLetters(store, { idPrefix: prefix, withStored: true }, { letters: 2 });
  if (letter === undefined) {
    throw new EvenshareError(
      'EVS_USAGE',
      `no dead letter has the id ${prefix}: "evenshare dlq list --all" has them all`,
    );
  }
  if (other !== undefined) {
    throw new EvenshareError('EVS_USAGE', `more than one dead letter begins with ${prefix}: write more of its id`);
  }
  return letter;
}
