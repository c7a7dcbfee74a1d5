import { createHash } from 'node:crypto';
import { type Store, tsvRow } from '../analytics/storage/index.ts';
import type { RecordRejectCode } from './event/decision-event.ts';

/** A record that became no event: kept with its bytes and the reason, so that it can be looked at and tried again. */
export interface DeadLetter {
  readonly receivedAtMs: number;
  readonly code: RecordRejectCode;
  readonly detail: string;
  /** Where it came from: a file's path, or `http:` and a digest of the request's body. */
  readonly source: string;
  /** Line, or place in a batch, counted from 1. */
  readonly position: number;
  readonly format: string;
  /** The bytes as they came; of an oversized line the first ones. */
  readonly raw: Uint8Array;
}

const COLUMNS = [
  'received_at_ms',
  'code',
  'detail',
  'source',
  'position',
  'format',
  'raw_base64',
  'raw_bytes',
  'content_hash',
];

/**
 * Stores dead letters. A letter is one (source, position, content): reading the same file again, or repeating the same
 * request, adds none.
 */
export async function storeDeadLetters(store: Store, letters: readonly DeadLetter[]): Promise<void> {
  const rows = letters.map((letter) => {
    const hash = createHash('sha256').update(letter.raw).digest().readBigUInt64LE(0);
    return tsvRow([
      letter.receivedAtMs,
      letter.code,
      letter.detail,
      letter.source,
      letter.position,
      letter.format,
      Buffer.from(letter.raw).toString('base64'),
      letter.raw.byteLength,
      hash,
    ]);
  });
  await store.insert('intake', 'dead_letters', COLUMNS, rows.join(''));
}
