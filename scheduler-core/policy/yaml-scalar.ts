import { quote } from './mistakes.ts';
import { isSpace, type YamlCursor } from './yaml-cursor.ts';

export type YamlScalar = string | number | boolean | null;

/** A scalar: what it means as a value, and what it says as a key. */
export interface ReadScalar {
  readonly value: YamlScalar;
  readonly key: string;
  /** Whether it stood in quotes. */
  readonly isQuoted: boolean;
}

const REFUSED_STARTS = new Map([
  ['&', 'anchors are not read'],
  ['*', 'aliases are not read; a text that begins with * needs quotes'],
  ['!', 'tags are not read; a text that begins with ! needs quotes'],
  ['|', 'block texts are not read: put the text in double quotes, with \\n'],
  ['>', 'block texts are not read: put the text in double quotes, with \\n'],
  ['%', 'directives are not read; a text that begins with % needs quotes'],
  ['@', 'a text that begins with @ needs quotes'],
  ['`', 'a text that begins with ` needs quotes'],
  [',', 'nothing stands before the comma'],
  ['[', 'a list cannot be a key'],
  ['{', 'a mapping cannot be a key'],
  [']', 'nothing is open that ] could close'],
  ['}', 'nothing is open that } could close'],
]);

const FLOW_INDICATORS = ',[]{}';

/** A scalar on one line, in quotes or plain. Throws for everything that YAML has more. */
export function readScalar(cursor: YamlCursor, isInFlow: boolean): ReadScalar {
  const { char } = cursor;
  if (char === '"' || char === "'") {
    const text = char === '"' ? readDoubleQuoted(cursor) : readSingleQuoted(cursor);
    return { value: text, key: text, isQuoted: true };
  }
  const refusal = REFUSED_STARTS.get(char);
  if (refusal !== undefined) cursor.fail(refusal);
  if ('-?:'.includes(char) && endsPlain(cursor, cursor.at + 1, isInFlow)) {
    if (char === '-') cursor.fail('a list of lines cannot begin here');
    cursor.fail(char === '?' ? 'keys of several lines are not read' : 'nothing stands before the colon');
  }
  const text = readPlain(cursor, isInFlow);
  return { value: resolvePlain(text), key: text, isQuoted: false };
}

function endsPlain(cursor: YamlCursor, offset: number, isInFlow: boolean): boolean {
  return cursor.isBreak(offset) || (isInFlow && FLOW_INDICATORS.includes(cursor.text.charAt(offset)));
}

/** Up to the end of the line, a colon that ends a key, a comment, or (inside brackets) a sign of their own. */
function readPlain(cursor: YamlCursor, isInFlow: boolean): string {
  const start = cursor.at;
  let end = start;
  for (; !cursor.isAtLineEnd; cursor.at++) {
    const { char } = cursor;
    if (char === ':' && endsPlain(cursor, cursor.at + 1, isInFlow)) break;
    if (isInFlow && FLOW_INDICATORS.includes(char)) break;
    if (!isSpace(char)) end = cursor.at + 1;
  }
  if (end === start) cursor.fail('a value is missing here');
  return cursor.text.slice(start, end);
}

const WORDS = new Map<string, YamlScalar>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF'].flatMap(
    (word) =>
      [
        [word, Number.POSITIVE_INFINITY],
        [`+${word}`, Number.POSITIVE_INFINITY],
        [`-${word}`, Number.NEGATIVE_INFINITY],
      ] as const,
  ),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
]);
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const OCTAL_OR_HEX = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;

/** The core schema of YAML 1.2 (10.3.2). */
function resolvePlain(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  return DECIMAL.test(text) || OCTAL_OR_HEX.test(text) ? Number(text) : text;
}

const NOT_CLOSED = 'a text in quotes must end on the line on which it begins';

function readSingleQuoted(cursor: YamlCursor): string {
  const start = cursor.at;
  let text = '';
  for (cursor.at++; ; cursor.at++) {
    const { char } = cursor;
    if (char === '' || char === '\n') cursor.fail(NOT_CLOSED, start);
    if (char === "'") {
      cursor.at++;
      if (cursor.char !== "'") return text;
    }
    text += char;
  }
}

const ESCAPES = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const HEX_DIGITS = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);
const LAST_CODE_POINT = 0x10ffff;

function readDoubleQuoted(cursor: YamlCursor): string {
  const start = cursor.at;
  const parts: string[] = [];
  cursor.at++;
  for (;;) {
    const { char } = cursor;
    if (char === '' || char === '\n') cursor.fail(NOT_CLOSED, start);
    if (char === '\\') parts.push(readEscape(cursor));
    else {
      cursor.at++;
      if (char === '"') return parts.join('');
      parts.push(char);
    }
  }
}

function readEscape(cursor: YamlCursor): string {
  const start = cursor.at;
  const letter = cursor.text.charAt(start + 1);
  const simple = ESCAPES.get(letter);
  if (simple !== undefined) {
    cursor.at += 2;
    return simple;
  }
  const digits = HEX_DIGITS.get(letter);
  if (letter === '' || letter === '\n') cursor.fail(NOT_CLOSED);
  if (digits === undefined)
    cursor.fail(`\\${letter} is no escape in ${quote('double quotes')}: write \\\\ for a backslash`);
  const hex = cursor.text.slice(start + 2, start + 2 + digits);
  const codePoint = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
  if (!(codePoint <= LAST_CODE_POINT)) cursor.fail(`\\${letter} needs ${digits} digits that name a character`);
  cursor.at += 2 + digits;
  return String.fromCodePoint(codePoint);
}
