/** What a server does wrong, to a number of statements. */
export interface Switch {
  /** Which statements: INSERTs, others, or those whose text holds a word. Default all. */
  readonly match?: 'insert' | 'other' | { readonly text: string };
  /** How often; default for ever. */
  readonly times?: number;
  readonly does: Misdeed;
}

export type Misdeed =
  /** Answers with an exception and executes nothing. */
  | { readonly kind: 'exception'; readonly code: number }
  /** Executes, sends the header and part of the answer, then an exception in the body. */
  | { readonly kind: 'exception_after_header'; readonly code: number }
  /** Answers after so long, and executes then. */
  | { readonly kind: 'slow'; readonly durationMs: number }
  /** Never answers and executes nothing. */
  | { readonly kind: 'hang' }
  /** Closes the connection: before anything is executed, after all was, or amid the answer. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' | 'amid' }
  /** Answers as something that is no ClickHouse, before it. */
  | { readonly kind: 'page'; readonly status: number };

export class Switches {
  #active: { readonly of: Switch; left: number }[] = [];
  /** How often each kind came about. */
  readonly done = new Map<Misdeed['kind'], number>();

  /** Replaces what was set; nothing: the server does as it should. */
  set(...all: readonly Switch[]): void {
    this.#active = all.map((one) => ({ of: one, left: one.times ?? Number.POSITIVE_INFINITY }));
  }

  next(sql: string, isInsert: boolean): Misdeed | null {
    const found = this.#active.find(({ of, left }) => left > 0 && isMatch(of, sql, isInsert));
    if (found === undefined) return null;
    found.left--;
    const { does } = found.of;
    this.done.set(does.kind, (this.done.get(does.kind) ?? 0) + 1);
    return does;
  }
}

function isMatch({ match }: Switch, sql: string, isInsert: boolean): boolean {
  if (match === undefined) return true;
  return typeof match === 'string' ? (match === 'insert') === isInsert : sql.includes(match.text);
}
