import { createHash } from 'node:crypto';
import { type Store, tsvRow } from '../analytics/storage/index.ts';
import type { RecordRejectCode } from './event/decision-event.ts';

/** A record that became no event: kept with its bytes and the reason, so that it can be looked at and tried again. */
export interface DeadLetter {
  readonly receivedAtMs: number;
  readonly code: RecordRejectCode;
  readonly detail: string;
  /** Where it came from: a file's path, `kafka:<topic>/<partition>`, or `http:` and a digest of the request's body. */
  readonly source: string;
  /** Line, or place in a batch, counted from 1; of a message its offset. */
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
  const rows = letters.map((letter) =>
    tsvRow([
      letter.receivedAtMs,
      letter.code,
      letter.detail,
      letter.source,
      letter.position,
      letter.format,
      Buffer.from(letter.raw).toString('base64'),
      letter.raw.byteLength,
      contentHash(letter.raw),
    ]),
  );
  await store.insert('intake', 'dead_letters', COLUMNS, rows.join(''));
}

/**
 * By what people name a letter, 16 hexadecimal digits: the same whenever and however often the record comes. The store
 * computes it too (analytics/schema/0013_dead_letters_id.sql).
 */
export function deadLetterId({ source, position, raw }: Pick<DeadLetter, 'source' | 'position' | 'raw'>): string {
  return createHash('sha256')
    .update(`${source}\n${position}\n${contentHash(raw)}`)
    .digest('hex')
    .slice(0, 16);
}

function contentHash(raw: Uint8Array): bigint {
  return createHash('sha256').update(raw).digest().readBigUInt64LE(0);
}

/** What became of a dead letter that was tried again. */
export interface DeadLetterRetry {
  /** As `deadLetterId` gives it. */
  readonly id: string;
  readonly retriedAtMs: number;
  /** Why it is still no event; null: it is stored, and done with. */
  readonly refusal: { readonly code: RecordRejectCode; readonly detail: string } | null;
}

const RETRY_COLUMNS = ['letter_id', 'outcome', 'code', 'detail', 'retried_at_ms'];

/** Notes what became of letters; the same noted twice is one. */
export async function storeRetries(store: Store, retries: readonly DeadLetterRetry[]): Promise<void> {
  const rows = retries.map(({ id, retriedAtMs, refusal }) =>
    tsvRow([
      BigInt(`0x${id}`),
      refusal === null ? 'stored' : 'refused',
      refusal?.code ?? '',
      refusal?.detail ?? '',
      retriedAtMs,
    ]),
  );
  await store.insert('intake', 'dead_letter_retries', RETRY_COLUMNS, rows.join(''));
}
