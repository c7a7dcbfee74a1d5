import { type FileHandle, open } from 'node:fs/promises';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { Adapter, AdapterOptions, FramedRecord } from '../adapters/adapter.ts';
import { CsvFramer } from '../sources/csv-framing.ts';
import { magicName } from '../sources/decompress.ts';
import { LineFramer } from '../sources/line-framing.ts';
import { type FileIdentity, type FileLook, HEAD_BYTES, identityOf, isSameFile, lookAt } from './file-identity.ts';
import type { FollowPosition } from './follow-position.ts';

const CHUNK_BYTES = 262_144;
const NEWLINE = 0x0a;

export interface LogFormat {
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
}

/** What a read brought. */
export interface ReadPiece {
  readonly records: readonly FramedRecord[];
  /** Once the records are stored, all before it is. */
  readonly position: FollowPosition;
}

interface OpenedLog {
  readonly path: string;
  readonly file: FileHandle;
  readonly format: LogFormat;
  readonly look: FileLook;
}

/** One file of a log, read from a position on as far as it has been written. */
export class FollowedLog {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #format: LogFormat;
  readonly #opened: FileLook;
  readonly #framer: LineFramer | CsvFramer;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #identity: FileIdentity;
  /** Up to where bytes were read; a line that is not whole yet is in the framer. */
  #readBytes: number;
  #position: FollowPosition;
  #header: string | null;

  private constructor(opened: OpenedLog, start: FollowPosition) {
    this.path = opened.path;
    this.#file = opened.file;
    this.#format = opened.format;
    this.#opened = opened.look;
    this.#identity = start.file;
    this.#readBytes = start.offsetBytes;
    this.#position = start;
    this.#header = start.header;
    this.#framer = this.#openFramer(start);
  }

  /**
   * Opens a file at a position in it, or at its start.
   *
   * @throws EVS_INPUT_MISSING, EVS_INPUT_DIRECTORY, EVS_INPUT_UNREADABLE; EVS_INPUT_BINARY for what is no text.
   */
  static async open(path: string, format: LogFormat, from: FollowPosition | null): Promise<FollowedLog> {
    const file = await open(path, 'r').catch((cause: unknown) => {
      throw openFailure(path, cause);
    });
    try {
      if ((await file.stat()).isDirectory()) {
        throw new EvenshareError('EVS_INPUT_DIRECTORY', `${JSON.stringify(path)} is a directory: name one file in it`);
      }
      const look = await lookAt(file);
      if (from === null) checkText(path, look);
      const start = from ?? { file: identityOf(look), offsetBytes: 0, line: 1, header: null };
      return new FollowedLog({ path, file, format, look }, { ...start, file: identityOf(look) });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Up to where records are whole and handed on. */
  get position(): FollowPosition {
    return this.#position;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Whether, when it was opened, it was the file of a position and reached as far. */
  isAt({ file, offsetBytes }: FollowPosition): boolean {
    return isSameFile(this.#opened, file, offsetBytes);
  }

  /**
   * The next records; null at the end of what is written, and when the file is no longer what it was (see `isIntact`).
   */
  async read(): Promise<ReadPiece | null> {
    const { bytesRead } = await this.#file.read(this.#chunk, 0, CHUNK_BYTES, this.#readBytes);
    // Looked at after the read: what came from a file that was emptied and filled again meanwhile is not handed on.
    if (bytesRead === 0 || !(await this.isIntact())) return null;
    const chunk = Buffer.from(this.#chunk.subarray(0, bytesRead));
    const records = this.#framer instanceof CsvFramer ? this.#pushRows(this.#framer, chunk) : this.#pushLines(chunk);
    return { records, position: this.#position };
  }

  #pushLines(chunk: Buffer): FramedRecord[] {
    const records: FramedRecord[] = [];
    for (const batch of this.#framer.push(chunk)) records.push(...batch);
    const whole = chunk.lastIndexOf(NEWLINE) + 1;
    if (whole > 0) this.#advance(this.#readBytes + whole);
    this.#readBytes += chunk.length;
    return records;
  }

  /** Line by line: only the framer knows whether a row goes on in the next one. */
  #pushRows(framer: CsvFramer, chunk: Buffer): FramedRecord[] {
    const records: FramedRecord[] = [];
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline < 0 ? chunk.length : newline + 1;
      for (const batch of framer.push(chunk.subarray(from, to))) records.push(...batch);
      this.#readBytes += to - from;
      if (newline >= 0 && framer.isBetweenRows) this.#advance(this.#readBytes);
      from = to;
    }
    return records;
  }

  /** The last line of a file that nobody writes to any more, when it has no end; afterwards the file is read whole. */
  finish(): ReadPiece {
    const records = this.#framer.end();
    this.#advance(this.#readBytes);
    return { records, position: this.#position };
  }

  /** False once the file was emptied, or emptied and filled again. Learns more of its first bytes while there are few. */
  async isIntact(): Promise<boolean> {
    const look = await lookAt(this.#file);
    if (!isSameFile(look, this.#identity, this.#readBytes)) return false;
    const known = this.#identity;
    if (known.headBytes === HEAD_BYTES) this.#identity = { ...known, writtenMs: look.modifiedMs };
    else this.#identity = identityOf(look);
    return true;
  }

  #advance(offsetBytes: number): void {
    const { nextLine } = this.#framer;
    this.#position = { file: this.#identity, offsetBytes, line: nextLine, header: this.#header };
  }

  #openFramer(start: FollowPosition): LineFramer | CsvFramer {
    const { adapter, adapterOptions } = this.#format;
    if (adapter.framing === 'lines') return new LineFramer({ isVerbatim: false, firstLine: start.line });
    const delimiter = adapter.csvDelimiter?.(adapterOptions) ?? ',';
    const framer = new CsvFramer({
      delimiter,
      where: JSON.stringify(this.path),
      // The header is given once more before the line at which reading goes on.
      firstLine: start.header === null ? start.line : start.line - 1,
      onHeader: (columns) => {
        adapter.checkHeader?.(columns, adapterOptions);
        this.#header = headerOf(columns, delimiter);
      },
    });
    if (start.header !== null) for (const batch of framer.push(Buffer.from(`${start.header}\n`))) void batch;
    return framer;
  }
}

function headerOf(columns: readonly string[], delimiter: string): string {
  return columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(delimiter);
}

function checkText(path: string, { head }: FileLook): void {
  const packed = magicName(head);
  if (packed !== null) {
    throw new EvenshareError(
      'EVS_INPUT_BINARY',
      `${JSON.stringify(path)} is ${packed}: only plain text can be followed`,
    );
  }
  if (head.includes(0)) {
    throw new EvenshareError('EVS_INPUT_BINARY', `${JSON.stringify(path)} is not text (it holds NUL bytes)`);
  }
}

function openFailure(path: string, cause: unknown): EvenshareError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const where = JSON.stringify(path);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new EvenshareError('EVS_INPUT_MISSING', `${where} does not exist: check the path`, { cause });
  }
  return new EvenshareError('EVS_INPUT_UNREADABLE', `${where} cannot be read (${code}): check its permissions`, {
    cause,
  });
}
