import { quote } from './mistakes.ts';
import { YamlCursor } from './yaml-cursor.ts';
import { readFlow, type YamlValue } from './yaml-flow.ts';
import { type ReadScalar, readScalar } from './yaml-scalar.ts';

/**
 * Reads the part of YAML 1.2 that policy files use: block and flow mappings and lists, plain and quoted scalars on one
 * line (core schema), comments, one document with or without `---`; JSON is a part of it. Anchors, aliases, tags, block
 * texts, directives, several documents, keys of several lines, tabs that indent and keys that stand twice are refused.
 * A plain key is the text as written: `007` stays `007`.
 *
 * @param subject What messages begin with.
 * @throws EVS_POLICY with line and column, from 1.
 */
export function readYaml(text: string, subject: string): YamlValue {
  const cursor = new YamlCursor(text, subject);
  cursor.skipToBlock();
  if (cursor.isAtMarker('---')) {
    cursor.at += 3;
    cursor.skipSpaces();
    if (!cursor.isAtLineEnd) cursor.fail('the document begins on the line after ---');
    cursor.skipToBlock();
  }
  const value = cursor.isAtDocumentEnd ? null : readBlock(cursor, 0);
  if (cursor.isAtMarker('...')) {
    cursor.at += 3;
    endLine(cursor);
  }
  if (cursor.isAtMarker('---')) cursor.fail('a second document begins here: a policy is one');
  if (!cursor.isAtEnd) cursor.fail('this belongs to nothing above it: check its indentation');
  return value;
}

/** The value that begins here, at a column that is its own. Leaves the cursor at what follows. */
function readBlock(cursor: YamlCursor, depth: number): YamlValue {
  cursor.checkDepth(depth);
  const { column, at } = cursor;
  if (isAtDash(cursor)) return readBlockList(cursor, column, depth);
  if (cursor.char === '[' || cursor.char === '{') return endValue(cursor, readFlow(cursor, depth));
  const scalar = readScalar(cursor, false);
  return isAtColon(cursor)
    ? readBlockMapping(cursor, { column, depth, firstKey: scalar.key, firstAt: at })
    : endValue(cursor, scalar.value);
}

function readBlockList(cursor: YamlCursor, column: number, depth: number): YamlValue[] {
  const items: YamlValue[] = [];
  for (;;) {
    cursor.at++;
    if (cursor.char === '\t') cursor.fail('a tab cannot follow the dash: use a space');
    cursor.skipSpaces();
    if (cursor.isAtLineEnd) {
      cursor.skipToBlock();
      const isItem = !cursor.isAtDocumentEnd && cursor.column > column;
      items.push(isItem ? readBlock(cursor, depth + 1) : null);
    } else items.push(readBlock(cursor, depth + 1));
    if (cursor.isAtDocumentEnd || cursor.column < column) return items;
    if (cursor.column > column) cursor.fail('this is indented further than the item before it');
    if (!isAtDash(cursor)) return items;
  }
}

interface MappingStart {
  readonly column: number;
  readonly depth: number;
  readonly firstKey: string;
  readonly firstAt: number;
}

function readBlockMapping(cursor: YamlCursor, { column, depth, firstKey, firstAt }: MappingStart) {
  const entries = new Map<string, YamlValue>();
  let key = firstKey;
  let at = firstAt;
  for (;;) {
    if (entries.has(key)) cursor.fail(`the key ${quote(key)} stands twice in this mapping`, at);
    cursor.at++;
    entries.set(key, readEntry(cursor, column, depth + 1));
    if (cursor.isAtDocumentEnd || cursor.column < column) return entries;
    if (cursor.column > column) {
      cursor.fail('this is indented further than the key before it; a text of several lines needs quotes and \\n');
    }
    if (isAtDash(cursor)) cursor.fail('a list item stands where a key is expected');
    at = cursor.at;
    key = readScalar(cursor, false).key;
    if (!isAtColon(cursor)) cursor.fail(`the key ${quote(key)} needs ": " and a value after it`);
  }
}

/** What stands behind a key: on its line a scalar or brackets, or a block that is indented further. */
function readEntry(cursor: YamlCursor, column: number, depth: number): YamlValue {
  cursor.checkDepth(depth);
  cursor.skipSpaces();
  if (cursor.isAtLineEnd) {
    cursor.skipToBlock();
    if (cursor.isAtDocumentEnd) return null;
    if (cursor.column > column) return readBlock(cursor, depth);
    // Lists may stand right under their key.
    return cursor.column === column && isAtDash(cursor) ? readBlockList(cursor, column, depth) : null;
  }
  if (cursor.char === '[' || cursor.char === '{') return endValue(cursor, readFlow(cursor, depth));
  const scalar: ReadScalar = readScalar(cursor, false);
  if (isAtColon(cursor)) {
    cursor.fail(
      `a mapping begins on the line after its key${scalar.isQuoted ? '' : '; a text with ": " needs quotes'}`,
    );
  }
  return endValue(cursor, scalar.value);
}

/** Nothing but a comment may follow a value on its line. */
function endValue(cursor: YamlCursor, value: YamlValue): YamlValue {
  cursor.skipSpaces();
  if (cursor.char === ':') cursor.fail('a list or mapping cannot be a key');
  endLine(cursor);
  return value;
}

function endLine(cursor: YamlCursor): void {
  cursor.skipSpaces();
  if (!cursor.isAtLineEnd) cursor.fail('nothing more may stand on this line');
  cursor.skipToBlock();
}

function isAtDash(cursor: YamlCursor): boolean {
  return cursor.char === '-' && cursor.isBreak(cursor.at + 1);
}

/** Passes the spaces before it. */
function isAtColon(cursor: YamlCursor): boolean {
  cursor.skipSpaces();
  return cursor.char === ':' && cursor.isBreak(cursor.at + 1);
}
