import { EvenshareError } from '../kernel/errors.ts';

export { hash64 } from './hash64.ts';

/** What a 64-bit hash has to give, less a margin: with more, some hands would be dealt far more often than others. */
const MAX_ENTROPY_BITS = 60;

/**
 * Deals a hand of distinct cards from the deck `0 … deckSize − 1` by the value of a hash: its digits in the mixed radix
 * `deckSize, deckSize − 1, …`, the lowest first, each choose among the cards that are left, in ascending order. Every hand,
 * in every order, is as likely as the hash's values are.
 *
 * @param hash its low 64 bits are used; @param deckSize an integer ≥ 1; @param handSize an integer in 1 … deckSize.
 * @throws EVS_POLICY for other sizes, and where log2(deckSize) · handSize > 60.
 * Source: Kubernetes, API priority and fairness, the shuffle-sharding dealer; THEORY.md, "Shuffle sharding".
 */
export function dealHand(hash: bigint, deckSize: number, handSize: number): number[] {
  checkSizes(deckSize, handSize);
  const hand: number[] = [];
  /** The hand, ascending. */
  const dealt: number[] = [];
  let rest = BigInt.asUintN(64, hash);
  for (let left = deckSize; left > deckSize - handSize; left--) {
    const radix = BigInt(left);
    let card = Number(rest % radix);
    rest /= radix;
    // The card-th of those left: each dealt card up to it moves it on by one.
    let position = 0;
    for (const other of dealt) {
      if (other > card) break;
      card++;
      position++;
    }
    dealt.splice(position, 0, card);
    hand.push(card);
  }
  return hand;
}

function checkSizes(deckSize: number, handSize: number): void {
  if (!Number.isInteger(deckSize) || !Number.isInteger(handSize) || handSize < 1 || handSize > deckSize) {
    throw new EvenshareError(
      'EVS_POLICY',
      `a hand of ${handSize} from ${deckSize} queues: both must be whole numbers, and the hand 1 … queues`,
    );
  }
  const entropyBits = Math.log2(deckSize) * handSize;
  if (entropyBits > MAX_ENTROPY_BITS) {
    throw new EvenshareError(
      'EVS_POLICY',
      `a hand of ${handSize} from ${deckSize} queues needs ${entropyBits.toFixed(1)} bits of a hash, at most ${MAX_ENTROPY_BITS} are there: fewer queues or a smaller hand`,
    );
  }
}
