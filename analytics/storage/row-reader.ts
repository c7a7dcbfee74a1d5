import { assertInvariant } from '../../scheduler-core/kernel/index.ts';

/**
 * Reads an answer in ClickHouse's RowBinary format: cells one after another, in the order and of the types that the
 * statement gives them. For answers of many numbers: text of them takes ten times as long.
 */
export class RowReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #place = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#bytes.length;
  }

  /** String. */
  text(): string {
    const length = this.#varint();
    return this.#bytes.toString('utf8', this.#place, this.#advance(length));
  }

  /** UInt8. */
  uint8(): number {
    return this.#view.getUint8(this.#advance(1) - 1);
  }

  /** Float64. */
  float64(): number {
    return this.#view.getFloat64(this.#advance(8) - 8, true);
  }

  /** How many elements of an Array follow. */
  length(): number {
    return this.#varint();
  }

  /** Passes so many bytes; the place behind them. */
  #advance(length: number): number {
    this.#place += length;
    assertInvariant(this.#place <= this.#bytes.length, 'an answer in RowBinary ended within a row');
    return this.#place;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.uint8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}
