import {
  DEAD_LETTER_BYTES,
  DEAD_LETTER_COUNTS,
  DEAD_LETTERS,
  type DeadLetterParameters,
  type DeadLetterRow,
} from './queries/dead-letters.ts';
import type { Store } from './storage/index.ts';

/** Which dead letters; what is absent asks for nothing. */
export interface DeadLetterFilter {
  /** Received from, and before; epoch ms. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** How the source begins. */
  readonly source?: string;
  /** The newest reason. */
  readonly code?: string;
  /** The first hexadecimal digits of the id, 1 to 16. */
  readonly idPrefix?: string;
  /** Those too that a retry has stored. Default false. */
  readonly withStored?: boolean;
}

/** A record that became no event, without its bytes, as it stands now. */
export interface DeadLetterEntry extends Omit<DeadLetterRow, 'retriedAtMs'> {
  /** Epoch ms; null when it was never tried again. */
  readonly retriedAtMs: number | null;
}

/** The newest first, at most `letters`, from the one after `after` on. */
export async function readDeadLetters(
  store: Store,
  filter: DeadLetterFilter,
  page: { readonly letters: number; readonly after?: DeadLetterEntry | undefined },
): Promise<DeadLetterEntry[]> {
  const { letters, after } = page;
  const rows = await store.query('reads', DEAD_LETTERS, {
    ...parametersOf(filter),
    letters,
    before_ms: after?.receivedAtMs ?? Number.MAX_SAFE_INTEGER,
    before_id: after === undefined ? MOST_ID : BigInt(`0x${after.id}`),
  });
  return rows.map(({ retriedAtMs, ...row }) => ({
    ...row,
    retriedAtMs: row.retries === 0 ? null : retriedAtMs,
  }));
}

/** How many there are by their newest reason, in its order; `stored`: of those, how many a retry has stored. */
export function countDeadLetters(
  store: Store,
  filter: DeadLetterFilter,
): Promise<readonly { readonly code: string; readonly count: number; readonly stored: number }[]> {
  return store.query('reads', DEAD_LETTER_COUNTS, parametersOf(filter));
}

/** The bytes of letters by id; one that has expired meanwhile is absent. They are in memory all at once. */
export async function readDeadLetterBytes(
  store: Store,
  letters: readonly DeadLetterEntry[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (letters.length === 0) return new Map();
  const positions = letters.map(({ position }) => position);
  const rows = await store.query('reads', DEAD_LETTER_BYTES, {
    sources: [...new Set(letters.map(({ source }) => source))],
    position_from: positions.reduce((least, one) => Math.min(least, one)),
    position_to: positions.reduce((most, one) => Math.max(most, one)),
    ids: letters.map(({ id }) => BigInt(`0x${id}`)),
  });
  return new Map(rows.map(({ id, rawBase64 }) => [id, Buffer.from(rawBase64, 'base64')]));
}

const ID_DIGITS = 16;
const MOST_ID = 2n ** 64n - 1n;

function parametersOf(filter: DeadLetterFilter): DeadLetterParameters {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, source = '', code = '', idPrefix = '' } = filter;
  return {
    from_ms: fromMs,
    to_ms: toMs,
    source,
    code,
    id_from: BigInt(`0x${idPrefix.padEnd(ID_DIGITS, '0')}`),
    id_to: BigInt(`0x${idPrefix.padEnd(ID_DIGITS, 'f')}`),
    with_stored: filter.withStored ?? false,
  };
}
