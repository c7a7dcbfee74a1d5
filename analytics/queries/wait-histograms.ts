import { READ_SETTINGS, settingsClause } from '../storage/index.ts';
import { waitBucket } from './wait-bucket.ts';
import type { ArrivalsParams } from './window-arrivals.ts';

export type WaitHistogramsParams = ArrivalsParams & {
  readonly pool: string;
  readonly computation: number;
  /** Numbers (start ÷ length) of the windows that the computation writes. */
  readonly written: readonly number[];
};

/**
 * Fills `wait_histograms` from the job's rows, for the windows that the computation writes; they make them visible. Rows
 * never leave the engine. A tenant's buckets are sorted and counted by where each run of equal ones ends: grouped by
 * bucket, they took three times as long.
 */
export const FILL_WAIT_HISTOGRAMS = `INSERT INTO wait_histograms (pool, window_ms, start_ms, computation, tenant, waits)${settingsClause(READ_SETTINGS)}
SELECT
    {pool:String},
    {window_ms:UInt64},
    step * {window_ms:Int64},
    {computation:UInt64},
    tenant,
    mapFromArrays(
        arrayCompact(buckets),
        arrayMap(count -> toUInt64(count), arrayPopFront(arrayDifference(arrayPushFront(ends, 0))))
    )
FROM (
    SELECT
        step, tenant, buckets,
        arrayFilter(
            (place, bucket, next) -> bucket != next,
            arrayEnumerate(buckets), buckets, arrayPushBack(arrayPopFront(buckets), -1)
        ) AS ends
    FROM (
        SELECT
            intDiv(a, {window_ms:Int64}) AS step,
            tenant,
            arraySort(groupArray(${waitBucket('assumeNotNull(wait)')})) AS buckets
        FROM {rows:Identifier}
        WHERE wait IS NOT NULL AND a >= {from_ms:Int64} AND a < {to_ms:Int64}
            AND step IN (SELECT arrayJoin({written:Array(Int64)}))
        GROUP BY step, tenant
    )
)`;
