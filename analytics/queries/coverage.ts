import { defineQuery, type Parameters } from '../storage/index.ts';

type SpanParams = Parameters & { readonly pool: string; readonly from_ms: number; readonly to_ms: number };

/** What one gateway says that it decided in `[fromMs, toMs)`, and how many of those decisions are stored. */
export interface CoverageRow {
  readonly gateway: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly decisions: number;
  readonly held: number;
}

/** Whether any gateway reported what it counted in a span: most report nothing. */
export const COVERAGE_REPORTED = defineQuery<SpanParams, { readonly reports: number }>({
  name: 'coverage-reported',
  sql: `SELECT count() AS reports
FROM coverage_reports
WHERE pool = {pool:String} AND from_ms < {to_ms:Int64} AND to_ms > {from_ms:Int64}`,
  decode: (row) => ({ reports: Number(row.reports) }),
});

/**
 * The reports that reach into a span, of several on the same one the latest (a gateway that corrects itself), with the distinct decisions of that gateway that
 * are stored. Reports meet requests minute by minute, so that the cost is that of the requests, however many the reports.
 */
export const COVERAGE_COUNTS = defineQuery<SpanParams, CoverageRow>({
  name: 'coverage-counts',
  sql: `WITH reports AS (
    SELECT gateway, from_ms, to_ms, argMax(decisions, (stored_at_ms, decisions)) AS decided
    FROM coverage_reports
    WHERE pool = {pool:String} AND from_ms < {to_ms:Int64} AND to_ms > {from_ms:Int64}
    GROUP BY gateway, from_ms, to_ms
)
SELECT gateway, from_ms, to_ms, any(decided) AS decisions,
    uniqExactIf((request_id, attempt, arrived_at_ms), arrived_at_ms >= from_ms AND arrived_at_ms < to_ms) AS held
FROM (
    SELECT gateway, from_ms, to_ms, decided,
        arrayJoin(range(intDiv(from_ms, 60000), intDiv(to_ms - 1, 60000) + 1)) AS arrival_minute
    FROM reports
) AS reported
LEFT JOIN (
    SELECT assumeNotNull(gateway) AS gateway, intDiv(arrived_at_ms, 60000) AS arrival_minute,
        request_id, attempt, arrived_at_ms
    FROM requests
    WHERE pool = {pool:String} AND gateway IN (SELECT gateway FROM reports)
        AND minute >= toDateTime(intDiv((SELECT min(from_ms) FROM reports), 60000) * 60, 'UTC')
        AND minute <= toDateTime(intDiv((SELECT max(to_ms) FROM reports) - 1, 60000) * 60, 'UTC')
) AS stored USING (gateway, arrival_minute)
GROUP BY gateway, from_ms, to_ms
ORDER BY gateway, from_ms, to_ms`,
  decode: (row) => ({
    gateway: String(row.gateway),
    fromMs: Number(row.from_ms),
    toMs: Number(row.to_ms),
    decisions: Number(row.decisions),
    held: Number(row.held),
  }),
});
