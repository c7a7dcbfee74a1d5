/** Reads exact numbers of bytes from chunks of any size; holds no more than one chunk and what is being put together. */
export class ByteReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** `length` bytes, or fewer where the source ends. */
  async read(length: number): Promise<Uint8Array> {
    if (this.chunk.length >= length) return this.take(length);
    const parts = [this.take(this.chunk.length)];
    let missing = length - (parts[0]?.length ?? 0);
    while (missing > 0) {
      const next = await this.chunks.next();
      if (next.done === true) break;
      this.chunk = next.value;
      const part = this.take(Math.min(missing, this.chunk.length));
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** Passes over `length` bytes; false when the source ends before. */
  async skip(length: number): Promise<boolean> {
    let missing = length;
    while (missing > 0) {
      const part = await this.read(Math.min(missing, 65_536));
      if (part.length === 0) return false;
      missing -= part.length;
    }
    return true;
  }

  /** Lets the source close what it holds. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private take(length: number): Uint8Array {
    const part = this.chunk.subarray(0, length);
    this.chunk = this.chunk.subarray(length);
    return part;
  }
}
