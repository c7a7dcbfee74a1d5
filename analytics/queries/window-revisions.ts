import { defineQuery, type Parameters } from '../storage/index.ts';

export const REVISION_COLUMNS = [
  'pool',
  'window_ms',
  'start_ms',
  'revision',
  'computation',
  'figures',
  'replaced_by',
] as const;

export interface WindowRevisionRow {
  readonly startMs: number;
  readonly revision: number;
  readonly computation: number;
  /** Computation whose result took its place. */
  readonly replacedBy: number;
  /** The window without its tenants, as JSON. */
  readonly figures: string;
}

/** What the windows of a range said before they were restated, oldest first. */
export const WINDOW_REVISIONS = defineQuery<
  Parameters & { readonly pool: string; readonly window_ms: number; readonly from_ms: number; readonly to_ms: number },
  WindowRevisionRow
>({
  name: 'window-revisions',
  sql: `SELECT start_ms, revision, computation, replaced_by, figures
FROM window_revisions FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY start_ms, revision`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    revision: Number(row.revision),
    computation: Number(row.computation),
    replacedBy: Number(row.replaced_by),
    figures: String(row.figures),
  }),
});
