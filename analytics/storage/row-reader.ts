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

  /** UInt64, Int64; rounded beyond 2⁵³. */
  uint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8) - 8, true));
  }

  int64(): number {
    return Number(this.#view.getBigInt64(this.#advance(8) - 8, true));
  }

  /** Whether a Nullable's value is null; else it follows. */
  isNull(): boolean {
    return this.uint8() === 1;
  }

  /** How many elements of an Array, or pairs of a Map, follow. */
  length(): number {
    return this.#varint();
  }

  /** Array(Float64); valid as long as the reader. */
  float64s(): Floats {
    const length = this.#varint();
    return new Floats(this.#view, this.#advance(length * 8) - length * 8, length);
  }

  /** Array(UInt8); valid as long as the reader. */
  uint8s(): Uint8Array {
    const length = this.#varint();
    const end = this.#advance(length);
    return this.#bytes.subarray(end - length, end);
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

/** Numbers where they lie in an answer: copied into arrays of their own, many short ones take longer than what is done with them. */
export class Floats {
  readonly length: number;
  readonly #view: DataView;
  readonly #from: number;

  constructor(view: DataView, from: number, length: number) {
    this.#view = view;
    this.#from = from;
    this.length = length;
  }

  /** @param place from 0, below `length`. */
  at(place: number): number {
    return this.#view.getFloat64(this.#from + 8 * place, true);
  }

  /** As an array of numbers. */
  toJSON(): number[] {
    return Array.from({ length: this.length }, (_, place) => this.at(place));
  }
}
