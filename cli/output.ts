import type { CliContext } from './context.ts';

/** Machine-readable results go to stdout whole, ended by a newline; everything else goes to stderr. */
export function printJson(context: CliContext, value: unknown): void {
  context.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

/** A plain table with columns as wide as their longest cell. Control characters in names are shown, not obeyed. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))));
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (texts: readonly string[]): string =>
    columns
      .map((column, index) => {
        const text = texts[index] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(text)));
        return column.align === 'right' ? space + text : text + space;
      })
      .join('  ')
      .trimEnd();
  return `${[line(columns.map((column) => column.title)), ...cells.map(line)].join('\n')}\n`;
}

/** Names come from logs: an escape sequence in one must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** A figure with at most `digits` decimals, or a dash when it is unknown. */
export function formatFigure(value: number | null, digits = 3): string {
  if (value === null) return '–';
  return String(Math.round(value * 10 ** digits) / 10 ** digits);
}

/** A duration as people read it: `12 ms`, `2.6 s`, `3.4 min`. */
export function formatMs(value: number | null): string {
  if (value === null) return '–';
  if (value < 1_000) return `${formatFigure(value, 1)} ms`;
  if (value < 120_000) return `${formatFigure(value / 1_000, 1)} s`;
  return value < 7_200_000 ? `${formatFigure(value / 60_000, 1)} min` : `${formatFigure(value / 3_600_000, 1)} h`;
}
