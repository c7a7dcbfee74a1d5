import { quote } from './mistakes.ts';
import type { YamlCursor } from './yaml-cursor.ts';
import { readScalar, type YamlScalar } from './yaml-scalar.ts';

/** What a YAML text holds. Mappings are Maps, in the order of the text: keys never meet an object's prototype. */
export type YamlValue = YamlScalar | readonly YamlValue[] | ReadonlyMap<string, YamlValue>;

/** A value inside brackets, where line ends and indentation mean nothing; JSON is such a value. */
export function readFlow(cursor: YamlCursor, depth: number): YamlValue {
  cursor.checkDepth(depth);
  if (cursor.char === '[') return readFlowList(cursor, depth);
  if (cursor.char === '{') return readFlowMapping(cursor, depth);
  return readScalar(cursor, true).value;
}

function skip(cursor: YamlCursor, open: number): void {
  cursor.skipToContent();
  if (cursor.isAtDocumentEnd) cursor.fail(`the bracket ${cursor.text.charAt(open)} is not closed`, open);
  if (cursor.char === '#') cursor.fail('a comment needs a space before it, a text that begins with # quotes');
}

function readFlowList(cursor: YamlCursor, depth: number): YamlValue[] {
  const open = cursor.at++;
  const items: YamlValue[] = [];
  for (;;) {
    skip(cursor, open);
    if (cursor.char === ']') break;
    items.push(readFlow(cursor, depth + 1));
    skip(cursor, open);
    if (cursor.char === ':') cursor.fail('a pair in a list needs { } around it');
    if (!separates(cursor, ']')) break;
  }
  cursor.at++;
  return items;
}

function readFlowMapping(cursor: YamlCursor, depth: number): Map<string, YamlValue> {
  const open = cursor.at++;
  const entries = new Map<string, YamlValue>();
  for (;;) {
    skip(cursor, open);
    if (cursor.char === '}') break;
    const at = cursor.at;
    const { key } = readScalar(cursor, true);
    if (entries.has(key)) cursor.fail(`the key ${quote(key)} stands twice in this mapping`, at);
    skip(cursor, open);
    if (cursor.char !== ':') cursor.fail(`the key ${quote(key)} needs ": " and a value after it`);
    cursor.at++;
    skip(cursor, open);
    entries.set(key, ',}'.includes(cursor.char) ? null : readFlow(cursor, depth + 1));
    skip(cursor, open);
    if (!separates(cursor, '}')) break;
  }
  cursor.at++;
  return entries;
}

/** Passes the comma between two parts; false where the closing bracket is next. */
function separates(cursor: YamlCursor, close: ']' | '}'): boolean {
  if (cursor.char === close) return false;
  if (cursor.char !== ',') cursor.fail(`a comma or ${close} is missing here`);
  cursor.at++;
  return true;
}
