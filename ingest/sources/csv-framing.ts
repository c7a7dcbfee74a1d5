import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type FramedRecord, type RawRecord, type RefusedRecord, rawBytes } from '../adapters/adapter.ts';
import { csvCells } from './csv-cells.ts';
import { LineFramer, MAX_BATCH_RECORDS, MAX_LINE_BYTES } from './line-framing.ts';

const QUOTE = '"';
/** The most lines that one row may span. */
const MAX_ROW_LINES = MAX_BATCH_RECORDS;

export interface CsvFramerOptions {
  /** One ASCII character. */
  readonly delimiter: string;
  /** Called once with the column names; may throw `EVS_INPUT_FORMAT`. */
  readonly onHeader: (columns: readonly string[]) => void;
  /** Names the input in messages. */
  readonly where: string;
  /** The number of the first line, where reading goes on within an input; default 1. */
  readonly firstLine?: number;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(QUOTE); at >= 0; at = text.indexOf(QUOTE, at + 1)) count++;
  return count;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/**
 * Cuts bytes into CSV rows (RFC 4180: quotes are doubled inside quoted cells, which may hold newlines). A row is whole when
 * its quotes pair up. When a row never becomes whole within `MAX_LINE_BYTES` and `MAX_ROW_LINES`, or its quoting is broken, only its first line
 * is refused (`wrong_columns`) and reading goes on with the next, so that one stray quote costs one row.
 */
export class CsvFramer {
  private readonly lines: LineFramer;
  private readonly options: CsvFramerOptions;
  private columns: readonly string[] | null = null;
  /** Lines of the row under way, its quotes not yet paired. */
  private open: RawRecord[] = [];
  private openLength = 0;

  constructor(options: CsvFramerOptions) {
    this.options = options;
    this.lines = new LineFramer({ isVerbatim: true, firstLine: options.firstLine ?? 1 });
  }

  /** The number of the line under way, or of the next one. */
  get nextLine(): number {
    return this.lines.nextLine;
  }

  /** Whether the next line begins a row. */
  get isBetweenRows(): boolean {
    return this.open.length === 0;
  }

  *push(chunk: Uint8Array): Generator<FramedRecord[]> {
    for (const batch of this.lines.push(chunk)) yield this.rowsOf(batch, false);
  }

  end(): FramedRecord[] {
    return this.rowsOf(this.lines.end(), true);
  }

  private rowsOf(batch: readonly FramedRecord[], isEnd: boolean): FramedRecord[] {
    const rows: FramedRecord[] = [];
    for (const item of batch) {
      if (item.kind === 'refused') {
        this.abandonOpen(rows);
        rows.push(item);
      } else {
        this.addLine(rows, item.record);
      }
    }
    if (isEnd) this.abandonOpen(rows);
    return rows;
  }

  private addLine(rows: FramedRecord[], line: RawRecord): void {
    const isOdd = quotesIn(line.text) % 2 === 1;
    if (this.open.length === 0 && !isOdd) {
      this.closeRow(rows, [line]);
      return;
    }
    this.open.push(line);
    this.openLength += line.text.length + 1;
    // An odd line closes the row that an odd line opened.
    if (isOdd && this.open.length > 1) {
      const lines = this.takeOpen();
      if (!this.closeRow(rows, lines)) this.retry(rows, lines);
    } else if (this.openLength > MAX_LINE_BYTES || this.open.length > MAX_ROW_LINES) {
      this.retry(rows, this.takeOpen());
    }
  }

  private takeOpen(): RawRecord[] {
    const lines = this.open;
    this.open = [];
    this.openLength = 0;
    return lines;
  }

  /** Refuses the first of the lines and reads the others anew. */
  private retry(rows: FramedRecord[], lines: readonly RawRecord[]): void {
    const [first, ...rest] = lines;
    if (first !== undefined)
      rows.push(this.refuse(first, 'a quote in the row is not closed, or stands in the middle of a cell'));
    for (const line of rest) this.addLine(rows, line);
  }

  /** At the end, or before a line that cannot be read: what is open can no longer become whole. */
  private abandonOpen(rows: FramedRecord[]): void {
    while (this.open.length > 0) this.retry(rows, this.takeOpen());
  }

  /** Reads one row whose quotes pair up; false when the quoting is broken and nothing was added. */
  private closeRow(rows: FramedRecord[], lines: readonly RawRecord[]): boolean {
    const [first] = lines;
    if (first === undefined) return true;
    const text = withoutReturn(lines.map((line) => line.text).join('\n'));
    if (text.trim() === '') return true;
    const row: RawRecord = lines.some((line) => line.isUnterminated === true)
      ? { text, fields: null, line: first.line, isUnterminated: true }
      : { text, fields: null, line: first.line };
    const cells = csvCells(text, this.options.delimiter);
    if (cells === null) {
      if (lines.length > 1) return false;
      rows.push(this.refuse(row, 'a quote stands in the middle of a cell: quote the whole cell and double the quote'));
    } else if (this.columns === null) {
      this.columns = this.readHeader(cells);
    } else {
      rows.push(this.rowOf(row, cells, this.columns));
    }
    return true;
  }

  private readHeader(cells: readonly string[]): readonly string[] {
    const columns = cells.map((cell) => cell.trim());
    const repeated = columns.find((column, index) => column !== '' && columns.indexOf(column) !== index);
    const fault = columns.includes('__proto__') ? '__proto__' : repeated;
    if (fault !== undefined) {
      const what = fault === repeated ? 'twice' : ', which no column may be called';
      throw new EvenshareError('EVS_INPUT_FORMAT', `${this.options.where}: the header has ${fault} ${what}: rename it`);
    }
    this.options.onHeader(columns);
    return columns;
  }

  private rowOf(row: RawRecord, cells: readonly string[], columns: readonly string[]): FramedRecord {
    if (cells.length !== columns.length) {
      return this.refuse(row, `the row has ${cells.length} cells where the header has ${columns.length}`);
    }
    const fields: Record<string, string> = {};
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      if (column !== undefined && column !== '') fields[column] = cells[index] ?? '';
    }
    const { text, line } = row;
    const record = row.isUnterminated === true ? { ...row, fields } : { text, fields, line };
    return { kind: 'record', record };
  }

  private refuse(row: RawRecord, detail: string): RefusedRecord {
    const raw = rawBytes({ ...row, text: withoutReturn(row.text) });
    if (row.isUnterminated !== true) return { kind: 'refused', code: 'wrong_columns', detail, raw, line: row.line };
    const torn = `the last row has no newline and is not whole (${detail}): it was cut off, or is still being written`;
    return { kind: 'refused', code: 'torn_line', detail: torn, raw, line: row.line };
  }
}
