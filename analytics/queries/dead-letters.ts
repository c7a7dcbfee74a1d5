import { defineQuery, type Parameters } from '../storage/index.ts';

/** Dead letters received in a span, by reason code. */
export const DEAD_LETTER_COUNTS = defineQuery<
  Parameters & { readonly from_ms: number; readonly to_ms: number },
  { readonly code: string; readonly count: number }
>({
  name: 'dead-letter-counts',
  sql: `SELECT code, count() AS letters
FROM dead_letters FINAL
WHERE received_at_ms >= {from_ms:Int64} AND received_at_ms < {to_ms:Int64}
GROUP BY code
ORDER BY code`,
  decode: (row) => ({ code: String(row.code), count: Number(row.letters) }),
});
