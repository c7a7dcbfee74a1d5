/**
 * Rows of `{rows}` with the interval that they were, or would have been, in service: its length S and whole milliseconds of it
 * (docs/definitions.md, "Work"). Needs the parameters rows, watermark_ms, window_ms, means and means_from_window.
 *
 * @param where SQL condition of the rows; refusals by a quota are offered to nobody and never among them.
 */
export function withServiceTime(where: string): string {
  return `SELECT
            *,
            greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
            multiIf(
                kind = 1, toFloat64(greatest(e - p, 1)),
                kind = 2, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
                mean
            ) AS S,
            toInt64(ceil(S)) AS whole_service_ms
        FROM {rows:Identifier}
        WHERE kind != 5 AND ${where}`;
}
