import { defineQuery, type Parameters } from '../storage/index.ts';

const ID_DIGITS = 16;

/** The store's 64 bits as people write them. */
function idOf(value: unknown): string {
  return BigInt(String(value)).toString(16).padStart(ID_DIGITS, '0');
}

/** Which letters; a text that is empty asks for nothing. */
export type DeadLetterParameters = Parameters & {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly id_from: bigint;
  readonly id_to: bigint;
  /** How the source begins. */
  readonly source: string;
  /** The newest reason. */
  readonly code: string;
  /** Those too that a retry has stored. */
  readonly with_stored: boolean;
};

/**
 * Every letter once, with what became of it. The rows of one letter may lie in several months: tables are read by
 * partition elsewhere, here they must not be. The newest reason is that of the last retry, else the one it came with.
 */
const LETTERS = `FROM (
    SELECT
        letter_id, received_at_ms, source, position, format, raw_bytes,
        letters.code AS came_code,
        if(refusals > 0, refused.1, letters.code) AS newest_code,
        if(refusals > 0, refused.2, letters.detail) AS newest_detail,
        retries, last_retry_ms, is_stored
    FROM (
        SELECT letter_id, received_at_ms, source, position, format, raw_bytes, code, detail
        FROM dead_letters FINAL
        SETTINGS do_not_merge_across_partitions_select_final = 0
    ) AS letters
    LEFT JOIN (
        SELECT
            letter_id,
            uniqExact(retried_at_ms) AS retries,
            max(retried_at_ms) AS last_retry_ms,
            max(outcome = 'stored') AS is_stored,
            countIf(outcome = 'refused') AS refusals,
            argMaxIf((toString(code), detail), retried_at_ms, outcome = 'refused') AS refused
        FROM dead_letter_retries
        GROUP BY letter_id
    ) AS retried USING letter_id
)
WHERE received_at_ms >= {from_ms:Int64} AND received_at_ms < {to_ms:Int64}
    AND letter_id >= {id_from:UInt64} AND letter_id <= {id_to:UInt64}
    AND startsWith(source, {source:String})
    AND ({code:String} = '' OR newest_code = {code:String})
    AND ({with_stored:Bool} OR NOT is_stored)`;

/** Dead letters by their newest reason. */
export const DEAD_LETTER_COUNTS = defineQuery<
  DeadLetterParameters,
  { readonly code: string; readonly count: number; readonly stored: number }
>({
  name: 'dead-letter-counts',
  sql: `SELECT newest_code, count() AS letters, countIf(is_stored) AS stored
${LETTERS}
GROUP BY newest_code
ORDER BY newest_code`,
  decode: (row) => ({ code: String(row.newest_code), count: Number(row.letters), stored: Number(row.stored) }),
});

/** A dead letter without its bytes, as it stands now. */
export interface DeadLetterRow {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly receivedAtMs: number;
  /** Why it is no event: as it came, and by the last retry that was refused. */
  readonly cameCode: string;
  readonly code: string;
  readonly detail: string;
  readonly source: string;
  readonly position: number;
  readonly format: string;
  readonly rawBytes: number;
  readonly retries: number;
  readonly retriedAtMs: number;
  readonly isStored: boolean;
}

/** Dead letters, the newest first, from the one after `(before_ms, before_id)` on. */
export const DEAD_LETTERS = defineQuery<
  DeadLetterParameters & { readonly before_ms: number; readonly before_id: bigint; readonly letters: number },
  DeadLetterRow
>({
  name: 'dead-letters',
  sql: `SELECT *
${LETTERS}
    AND (received_at_ms, letter_id) < ({before_ms:Int64}, {before_id:UInt64})
ORDER BY received_at_ms DESC, letter_id DESC
LIMIT {letters:UInt32}`,
  decode: (row) => ({
    id: idOf(row.letter_id),
    receivedAtMs: Number(row.received_at_ms),
    cameCode: String(row.came_code),
    code: String(row.newest_code),
    detail: String(row.newest_detail),
    source: String(row.source),
    position: Number(row.position),
    format: String(row.format),
    rawBytes: Number(row.raw_bytes),
    retries: Number(row.retries),
    retriedAtMs: Number(row.last_retry_ms),
    isStored: Number(row.is_stored) === 1,
  }),
});

/** The bytes of letters. Sources and positions are those of the letters: the table is ordered by them. */
export const DEAD_LETTER_BYTES = defineQuery<
  Parameters & {
    readonly sources: readonly string[];
    readonly position_from: number;
    readonly position_to: number;
    readonly ids: readonly bigint[];
  },
  { readonly id: string; readonly rawBase64: string }
>({
  name: 'dead-letter-bytes',
  sql: `SELECT letter_id, raw_base64
FROM dead_letters
WHERE source IN {sources:Array(String)}
    AND position >= {position_from:Int64} AND position <= {position_to:Int64}
    AND letter_id IN {ids:Array(UInt64)}
ORDER BY letter_id
LIMIT 1 BY letter_id`,
  decode: (row) => ({ id: idOf(row.letter_id), rawBase64: String(row.raw_base64) }),
});
