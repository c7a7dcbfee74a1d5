import { EvenshareError } from '../kernel/index.ts';

/** Beyond so many characters a text is no policy. */
const MAX_CHARS = 16 * 2 ** 20;
/** Beyond so many levels neither. */
const MAX_DEPTH = 64;

/** A place in a YAML text that moves on, and the errors that name it. */
export class YamlCursor {
  readonly text: string;
  /** Offset of the character that is next. */
  at = 0;
  readonly #subject: string;
  #lineStart = 0;

  /** Line ends are made one; columns stay. Throws for characters that no text holds. */
  constructor(text: string, subject: string) {
    this.text = text.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '');
    this.#subject = subject;
    if (text.length > MAX_CHARS) this.fail(`the text is longer than ${MAX_CHARS} characters`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
    const control = this.text.search(/[\0-\x08\x0b\x0c\x0e-\x1f]/);
    if (control >= 0) this.fail('a control character stands here: write it as an escape in double quotes', control);
  }

  /** The character that is next; empty at the end. */
  get char(): string {
    return this.text.charAt(this.at);
  }

  /** How far from the start of its line the next character is, from 0. */
  get column(): number {
    return this.at - this.#lineStart;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Whether nothing but a comment is left of the line. A comment begins after a space or the start of the line. */
  get isAtLineEnd(): boolean {
    return this.isAtEnd || this.char === '\n' || this.isAtComment;
  }

  get isAtComment(): boolean {
    return this.char === '#' && (this.at === this.#lineStart || isSpace(this.text.charAt(this.at - 1)));
  }

  /** Whether a line `---` or `...` begins here, or the text is over. */
  get isAtDocumentEnd(): boolean {
    return this.isAtEnd || this.isAtMarker('---') || this.isAtMarker('...');
  }

  isAtMarker(marker: '---' | '...'): boolean {
    return this.column === 0 && this.text.startsWith(marker, this.at) && this.isBreak(this.at + marker.length);
  }

  /** Whether white space or the end is at the offset. */
  isBreak(offset: number): boolean {
    const char = this.text.charAt(offset);
    return char === '' || char === '\n' || isSpace(char);
  }

  skipSpaces(): void {
    while (isSpace(this.char)) this.at++;
  }

  /** Goes on to the next thing that is neither white space nor comment, on this line or another. */
  skipToContent(): void {
    for (;;) {
      this.skipSpaces();
      if (this.isAtComment) {
        const end = this.text.indexOf('\n', this.at);
        this.at = end < 0 ? this.text.length : end;
      }
      if (this.char !== '\n') return;
      this.at++;
      this.#lineStart = this.at;
    }
  }

  /** The same between the parts of block collections, where indentation counts. */
  skipToBlock(): void {
    const isInLine = this.at > 0;
    const lineStart = this.#lineStart;
    this.skipToContent();
    if (isInLine && lineStart === this.#lineStart) return;
    const tab = this.text.slice(this.#lineStart, this.at).indexOf('\t');
    if (tab >= 0 && !this.isAtEnd) this.fail('a tab cannot indent: use spaces', this.#lineStart + tab);
  }

  checkDepth(depth: number): void {
    if (depth > MAX_DEPTH) this.fail(`more than ${MAX_DEPTH} levels`);
  }

  /** Throws `EVS_POLICY` that names the line and column, from 1. */
  fail(reason: string, offset = this.at): never {
    const before = this.text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - (before.lastIndexOf('\n') + 1) + 1;
    throw new EvenshareError('EVS_POLICY', `${this.#subject}: line ${line}, column ${column}: ${reason}`);
  }
}

export function isSpace(char: string): boolean {
  return char === ' ' || char === '\t';
}
