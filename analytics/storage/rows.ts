/** The text of an array or map, already in the format's own quoting. */
export interface NestedCell {
  readonly nested: string;
}

/** A value of one column in a TabSeparated row. */
export type Cell = string | number | bigint | boolean | null | NestedCell;

const NEEDS_ESCAPE = /[\\\t\n\r\0]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' };

/** One cell of ClickHouse's TabSeparated format. Null is `\N`; a string that looks like it is escaped and stays text. */
export function tsvCell(value: Cell): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') {
    return NEEDS_ESCAPE.test(value) ? value.replace(/[\\\t\n\r\0]/g, (found) => ESCAPES[found] ?? found) : value;
  }
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'object') return value.nested;
  return String(value);
}

/** A row of TabSeparated text, ended by a newline. Many rows are joined from an array: adding to one text is slow. */
export function tsvRow(cells: readonly Cell[]): string {
  const texts: string[] = [];
  for (const cell of cells) texts.push(tsvCell(cell));
  return `${texts.join('\t')}\n`;
}

/** An array cell, for columns of type Array(String) or Array(Float64); strings are quoted as the format asks. */
export function tsvArray(values: readonly (string | number)[]): NestedCell {
  return { nested: `[${values.map(nestedValue).join(',')}]` };
}

/** A map cell, for columns of type Map(String, UInt64 or String). Keys are written in sorted order. */
export function tsvMap(map: Readonly<Record<string, string | number>>): NestedCell {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return { nested: `{${entries.map(([key, value]) => `${tsvQuoted(key)}:${nestedValue(value)}`).join(',')}}` };
}

function nestedValue(value: string | number): string {
  return typeof value === 'number' ? String(value) : tsvQuoted(value);
}

function tsvQuoted(text: string): string {
  return `'${text.replace(/[\\\t\n\r\0']/g, (found) => (found === "'" ? "\\'" : (ESCAPES[found] ?? found)))}'`;
}
