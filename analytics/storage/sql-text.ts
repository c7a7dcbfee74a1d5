/** A statement whose structure can be looked at: of one length, in `shape` the inside of every quoted text is blanked. */
export interface SqlText {
  readonly text: string;
  readonly shape: string;
}

const QUOTES = new Set(["'", '`', '"']);

/** A statement without its comments, with what is quoted blanked beside it. What is inside quotes is no comment. */
export function readSql(sql: string): SqlText {
  let text = '';
  let shape = '';
  for (let at = 0; at < sql.length; ) {
    const comment = commentEnd(sql, at);
    if (comment > at) {
      // A comment goes with the line that it has for itself; else a blank stands for it.
      const kept = text.replace(/\n[ \t]*$/, '').length;
      text = kept < text.length ? text.slice(0, kept) : `${text} `;
      shape = kept < shape.length ? shape.slice(0, kept) : `${shape} `;
      at = comment;
      continue;
    }
    const end = QUOTES.has(sql.charAt(at)) ? quoteEnd(sql, at) : at + 1;
    const piece = sql.slice(at, end);
    text += piece;
    shape += piece.length === 1 ? piece : `${piece.charAt(0)}${'_'.repeat(piece.length - 2)}${piece.charAt(0)}`;
    at = end;
  }
  const blank = text.length - text.trimStart().length;
  return { text: text.trim(), shape: shape.slice(blank, blank + text.trim().length) };
}

export function sliceSql(sql: SqlText, from: number, to?: number): SqlText {
  return { text: sql.text.slice(from, to), shape: sql.shape.slice(from, to) };
}

/** The place behind the bracket that closes the one at `open`. */
export function closingBracket(sql: SqlText, open: number): number {
  let depth = 0;
  for (let at = open; at < sql.shape.length; at++) {
    if (sql.shape[at] === '(') depth++;
    else if (sql.shape[at] === ')' && --depth === 0) return at + 1;
  }
  return sql.shape.length;
}

/** The parts between commas that are in no bracket, trimmed. */
export function splitSql(sql: SqlText): SqlText[] {
  const parts: SqlText[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= sql.shape.length; at++) {
    const sign = sql.shape[at];
    if (sign === '(' || sign === '[') depth++;
    else if (sign === ')' || sign === ']') depth--;
    else if (sign === undefined || (sign === ',' && depth === 0)) {
      parts.push(readSql(sql.text.slice(from, at)));
      from = at + 1;
    }
  }
  return parts.filter(({ text }) => text !== '');
}

/** The place behind a comment that starts at `at`; `at` itself where none does. */
function commentEnd(sql: string, at: number): number {
  if (sql.startsWith('--', at)) {
    const end = sql.indexOf('\n', at);
    return end === -1 ? sql.length : end;
  }
  if (!sql.startsWith('/*', at)) return at;
  const end = sql.indexOf('*/', at + 2);
  return end === -1 ? sql.length : end + 2;
}

/** The place behind the quote that closes the one at `open`: a backslash escapes, a doubled quote is one quote. */
function quoteEnd(sql: string, open: number): number {
  const quote = sql.charAt(open);
  for (let at = open + 1; at < sql.length; at++) {
    if (sql[at] === '\\') at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return sql.length;
}
