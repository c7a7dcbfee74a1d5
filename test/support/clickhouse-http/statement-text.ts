/** Where a statement ends: the place of its `;` outside of quotes and comments, or its length. */
function endOf(sql: string): number {
  for (let at = 0; at < sql.length; at++) {
    const char = sql[at];
    if (char === "'" || char === '"' || char === '`') {
      for (at++; at < sql.length && sql[at] !== char; at++) if (sql[at] === '\\') at++;
    } else if (sql.startsWith('--', at)) {
      const line = sql.indexOf('\n', at);
      at = line < 0 ? sql.length : line;
    } else if (sql.startsWith('/*', at)) {
      const end = sql.indexOf('*/', at);
      at = end < 0 ? sql.length : end + 1;
    } else if (char === ';') return at;
  }
  return sql.length;
}

const READS = new Set(['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS', 'CHECK']);

function firstWord(sql: string): string {
  const withoutComments = sql.replace(/^(\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()+/, '');
  return (/^[A-Za-z]+/.exec(withoutComments)?.[0] ?? '').toUpperCase();
}

export function isRead(sql: string): boolean {
  return READS.has(firstWord(sql));
}

export function isInsert(sql: string): boolean {
  return firstWord(sql) === 'INSERT';
}

/** The HTTP interface takes one statement; of an INSERT what follows the format's name is data. */
export function hasSeveral(sql: string): boolean {
  return !isInsert(sql) && sql.slice(endOf(sql) + 1).trim() !== '';
}

/** How many rows an INSERT brings as lines of text; null for other formats. */
export function insertedLines(sql: string): number | null {
  const data = /\bFORMAT\s+(TabSeparated|TSV|JSONEachRow|CSV)\s*\n([\s\S]*)$/i.exec(sql)?.[2];
  return data === undefined ? null : data.split('\n').filter((line) => line !== '').length;
}
