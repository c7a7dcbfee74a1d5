import { isAscii, isUtf8 } from 'node:buffer';
import type { FramedRecord, RefusedRecord } from '../adapters/adapter.ts';

/** The longest line, in bytes without its end. */
export const MAX_LINE_BYTES = 1_048_576;
/** How much of a longer line is kept for the dead letters. */
export const KEPT_BYTES = 4096;
/** The most records in one batch. */
export const MAX_BATCH_RECORDS = 5000;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Larger chunks are worked through in pieces, so that a batch stays small whatever the source delivers. */
const PIECE_BYTES = 262_144;
const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);

export interface LineFramerOptions {
  /** Keep blank lines and the `\r` before a newline: for framings in which a record may span lines. */
  readonly isVerbatim: boolean;
  /** The number of the first line, where reading goes on within an input; default 1, its start. */
  readonly firstLine?: number;
}

/**
 * Cuts bytes into lines. Memory is bounded whatever comes: a line over `MAX_LINE_BYTES` is counted to its end and refused
 * with its first bytes. A BOM at the very start is dropped; lines may end in `\n` or `\r\n`; blank lines are dropped but
 * counted; the last line needs no newline and is marked. A line that is not UTF-8 is refused with its bytes.
 */
export class LineFramer {
  private readonly isVerbatim: boolean;
  /** The line under way: all of it, or, once it is too long, its first bytes. */
  private parts: Buffer[] = [];
  private partsBytes = 0;
  /** Bytes of the line under way, those that are not kept included. */
  private lineBytes = 0;
  private lastByte = 0;
  private line: number;
  private isStart: boolean;

  constructor(options: LineFramerOptions) {
    this.isVerbatim = options.isVerbatim;
    this.line = options.firstLine ?? 1;
    this.isStart = this.line === 1;
  }

  /** The number of the line under way, or of the next one. */
  get nextLine(): number {
    return this.line;
  }

  /** The records that a chunk completes, in batches of at most `MAX_BATCH_RECORDS`. */
  *push(chunk: Uint8Array): Generator<FramedRecord[]> {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const size = Math.min(PIECE_BYTES, chunk.length - from);
      yield* this.pushPiece(Buffer.from(chunk.buffer, chunk.byteOffset + from, size));
    }
  }

  /** The last line, when the input did not end in a newline. */
  end(): FramedRecord[] {
    const batch: FramedRecord[] = [];
    if (this.lineBytes > 0) this.finishLine(batch, true);
    return batch;
  }

  private *pushPiece(piece: Buffer): Generator<FramedRecord[]> {
    let batch: FramedRecord[] = [];
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      if (this.lineBytes === 0 && end - from <= MAX_LINE_BYTES) {
        this.emit(batch, piece.subarray(from, end), false);
        this.line++;
      } else {
        this.append(piece.subarray(from, end));
        this.finishLine(batch, false);
      }
      from = end + 1;
      if (batch.length === MAX_BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
    if (from < piece.length) this.append(piece.subarray(from));
    if (batch.length > 0) yield batch;
  }

  /** Adds to the line under way; of a line that is too long only the first bytes stay. */
  private append(bytes: Buffer): void {
    const wasTooLong = this.lineBytes > MAX_LINE_BYTES + 1;
    this.lineBytes += bytes.length;
    this.lastByte = bytes.at(-1) ?? this.lastByte;
    if (wasTooLong) return;
    this.parts.push(bytes);
    this.partsBytes += bytes.length;
    // One byte more is allowed: it may be the \r of the line's end.
    if (this.lineBytes > MAX_LINE_BYTES + 1) {
      const kept = Buffer.concat(this.parts).subarray(0, KEPT_BYTES + BOM.length);
      this.parts = [Buffer.from(kept)];
      this.partsBytes = kept.length;
    } else if (this.parts.length > 1024) {
      // Many small chunks: joined now and then, so that their count stays bounded as well.
      this.parts = [Buffer.concat(this.parts)];
    }
  }

  private finishLine(batch: FramedRecord[], isUnterminated: boolean): void {
    const bytes = this.parts.length === 1 ? (this.parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.parts);
    const isCut = this.lineBytes > this.partsBytes;
    const contentBytes = this.lineBytes - (this.lastByte === CARRIAGE_RETURN ? 1 : 0);
    this.parts = [];
    this.partsBytes = 0;
    this.lineBytes = 0;
    if (isCut) batch.push(this.refuseLong(bytes, contentBytes));
    else this.emit(batch, bytes, isUnterminated);
    this.line++;
  }

  /** Turns the bytes of one whole line into a record, a refusal or, when it is blank, nothing. */
  private emit(batch: FramedRecord[], line: Buffer, isUnterminated: boolean): void {
    let bytes = line;
    if (this.isStart) {
      this.isStart = false;
      if (bytes.subarray(0, BOM.length).equals(BOM)) bytes = bytes.subarray(BOM.length);
    }
    const hasReturn = bytes.length > 0 && bytes[bytes.length - 1] === CARRIAGE_RETURN;
    const content = hasReturn ? bytes.subarray(0, -1) : bytes;
    if (content.length > MAX_LINE_BYTES) {
      batch.push(this.refuseLong(content, content.length));
      return;
    }
    const kept = this.isVerbatim ? bytes : content;
    const isPlain = isAscii(kept);
    if (!isPlain && !isUtf8(kept)) {
      batch.push(this.refuseEncoding(content));
      return;
    }
    const text = isPlain ? kept.toString('latin1') : kept.toString('utf8');
    if (!this.isVerbatim && (text.length === 0 || (text.charCodeAt(0) <= 0x20 && text.trim() === ''))) return;
    const record = isUnterminated
      ? { text, fields: null, line: this.line, isUnterminated: true }
      : { text, fields: null, line: this.line };
    batch.push({ kind: 'record', record });
  }

  private refuseLong(bytes: Buffer, lengthBytes: number): RefusedRecord {
    const body = this.isStart && bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
    this.isStart = false;
    const detail = `the line has ${lengthBytes} bytes, at most ${MAX_LINE_BYTES} are read: is it one record per line?`;
    const raw = Uint8Array.from(body.subarray(0, KEPT_BYTES));
    return { kind: 'refused', code: 'line_too_long', detail, raw, line: this.line };
  }

  private refuseEncoding(bytes: Buffer): RefusedRecord {
    const detail = 'the line is not UTF-8: convert the file, for example with iconv -f LATIN1 -t UTF-8';
    return { kind: 'refused', code: 'not_utf8', detail, raw: Uint8Array.from(bytes), line: this.line };
  }
}
