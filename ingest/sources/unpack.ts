/** Compressed data that is damaged, or larger than what is accepted. */
export class UnpackError extends Error {}

/** Repeats `size` bytes that lie `offset` before `to`; they may overlap with what is written. */
export function copyBack(out: Buffer, { to, offset, size }: { to: number; offset: number; size: number }): void {
  if (offset < 1 || offset > to || size > out.length - to) throw new UnpackError('a copy leaves its bounds');
  if (offset >= size) {
    out.copyWithin(to, to - offset, to - offset + size);
    return;
  }
  for (let index = 0; index < size; index++) out[to + index] = out[to + index - offset] ?? 0;
}
