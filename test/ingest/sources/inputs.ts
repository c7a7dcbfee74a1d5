import type { FramedRecord } from '../../../ingest/adapters/adapter.ts';
import { type FileSourceOptions, readRecords } from '../../../ingest/sources/file-source.ts';
import type { Random } from '../../../scheduler-core/kernel/index.ts';

/** Bytes in chunks of at most `size`. */
export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Bytes cut at random places. */
export function randomCuts(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + Math.floor(random.next() ** 3 * bytes.length);
    chunks.push(bytes.subarray(from, to));
    from = to;
  }
  return chunks;
}

/** Everything that standard input holds, read as a file source reads it. */
export async function readBytes(
  bytes: Uint8Array,
  options: Partial<FileSourceOptions> & { readonly chunkBytes?: number } = {},
): Promise<readonly FramedRecord[]> {
  const stdin = chunksOf(bytes, options.chunkBytes ?? 65_536);
  const records: FramedRecord[] = [];
  for await (const batch of readRecords({ path: '-', stdin, framing: 'lines', ...options })) records.push(...batch);
  return records;
}

/** `line: text` of a record, `line! code` of a refusal. */
export function brief(item: FramedRecord): string {
  if (item.kind === 'refused') return `${item.line}! ${item.code}`;
  return `${item.record.line}${item.record.isUnterminated === true ? '~' : ':'} ${item.record.text}`;
}
