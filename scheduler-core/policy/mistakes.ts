import { EvenshareError } from '../kernel/index.ts';

/** How much of a text from a file a message repeats. */
const QUOTED_CHARS = 40;
/** Beyond so many mistakes a message only counts them. */
const NAMED_MISTAKES = 100;
/** Longer words have no near miss: the comparison takes the product of the lengths. */
const NEAR_MISS_CHARS = 64;
/** What a terminal would obey or hide instead of showing: controls, line separators, marks of direction, a byte order mark. */
const UNSHOWN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Collects what is wrong with a policy, in the order in which it was found. */
export class Mistakes {
  readonly #named: string[] = [];
  #unnamed = 0;

  get count(): number {
    return this.#named.length + this.#unnamed;
  }

  add(mistake: string): void {
    if (this.#named.length < NAMED_MISTAKES) this.#named.push(mistake);
    else this.#unnamed++;
  }

  /** Throws `EVS_POLICY` with every mistake in one line, when there is one. */
  throwIfAny(subject: string): void {
    if (this.count === 0) return;
    const more = this.#unnamed === 0 ? '' : `; and ${this.#unnamed} more mistakes`;
    throw new EvenshareError('EVS_POLICY', `${subject}: ${this.#named.join('; ')}${more}`);
  }
}

/** A place in a policy, from the top: where a mistake is. */
export interface Place {
  /** `tenants[3].weight`; empty: the top. */
  readonly path: string;
  readonly mistakes: Mistakes;
}

export function placeOfKey(place: Place, key: string): Place {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/.test(key) && key !== '__proto__';
  const step = isPlain ? `${place.path === '' ? '' : '.'}${key}` : `[${quote(key)}]`;
  return { path: `${place.path}${step}`, mistakes: place.mistakes };
}

export function placeOfItem(place: Place, index: number): Place {
  return { path: `${place.path}[${index}]`, mistakes: place.mistakes };
}

/** Records a mistake at the place; undefined, so that a reader can return what it calls. */
export function mistakeAt(place: Place, mistake: string): undefined {
  place.mistakes.add(place.path === '' ? mistake : `${place.path}: ${mistake}`);
}

/** A text of a file as a message shows it: in quotes, on one line, nothing hidden, not too long. */
export function quote(text: string): string {
  const shown = text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text;
  return JSON.stringify(shown).replace(
    UNSHOWN,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** What stands where something else was wanted. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** ` (did you mean "weight"?)`, or nothing when no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (word.length > NEAR_MISS_CHARS) return '';
  let nearest: string | null = null;
  let leastEdits = Math.max(1, Math.min(3, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    if (candidate.length > NEAR_MISS_CHARS || candidate === word) continue;
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < leastEdits) {
      leastEdits = edits;
      nearest = candidate;
    }
  }
  return nearest === null ? '' : ` (did you mean ${quote(nearest)}?)`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (restricted Damerau). */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) edits = Math.min(edits, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
