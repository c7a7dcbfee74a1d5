import { defineQuery, type Parameters } from '../storage/index.ts';

const FIGURE_FIELDS = [
  'outcome',
  'reason',
  'dispatched_at_ms',
  'completed_at_ms',
  'cost_estimate',
  'cost',
  'input_tokens',
  'output_tokens',
  'slots',
] as const;

/** Whether two events of one request disagreed on a field that a figure depends on. */
const DISAGREES = FIGURE_FIELDS.map((field) => `ifNull(${field} != ${field}_least, 0)`).join(' OR ');

/** Requests per window of arrival whose events disagree. Read only when some request was delivered more than once. */
export const FIELD_CONFLICTS = defineQuery<
  Parameters & { readonly pool: string; readonly window_ms: number; readonly from_ms: number; readonly to_ms: number },
  { readonly window: number; readonly conflicts: number }
>({
  name: 'field-conflicts',
  sql: `SELECT intDiv(arrived_at_ms, {window_ms:Int64}) AS step, countIf(${DISAGREES}) AS conflicts
FROM requests FINAL
WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}
GROUP BY step
ORDER BY step`,
  decode: (row) => ({ window: Number(row.step), conflicts: Number(row.conflicts) }),
});
