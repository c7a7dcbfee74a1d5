import { READ_SETTINGS, settingsClause } from '../storage/index.ts';
import { waitBucket } from './wait-bucket.ts';
import type { ArrivalsParams } from './window-arrivals.ts';

export type WaitHistogramsParams = ArrivalsParams & { readonly pool: string; readonly computation: number };

/** Which windows of a range a computation has written so far: its tenants are stored before them. */
const WRITTEN_WINDOWS = `SELECT intDiv(start_ms, {window_ms:Int64}) FROM tenant_windows
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64} AND computation = {computation:UInt64}`;

/**
 * Fills `wait_histograms` from the job's rows, for the windows of the range that the computation wrote. To be run after
 * their tenants are stored, and before the windows, which make both visible. Rows never leave the engine.
 */
export const FILL_WAIT_HISTOGRAMS = `INSERT INTO wait_histograms (pool, window_ms, start_ms, computation, tenant, waits)${settingsClause(READ_SETTINGS)}
SELECT
    {pool:String},
    {window_ms:UInt64},
    step * {window_ms:Int64},
    {computation:UInt64},
    tenant,
    mapFromArrays(
        arrayMap(entry -> entry.1, arraySort(groupArray((bucket, waits)) AS entries)),
        arrayMap(entry -> entry.2, arraySort(entries))
    )
FROM (
    SELECT intDiv(a, {window_ms:Int64}) AS step, tenant, ${waitBucket('assumeNotNull(wait)')} AS bucket, count() AS waits
    FROM {rows:Identifier}
    WHERE wait IS NOT NULL AND a >= {from_ms:Int64} AND a < {to_ms:Int64} AND step IN (
        ${WRITTEN_WINDOWS}
    )
    GROUP BY step, tenant, bucket
)
GROUP BY step, tenant`;
