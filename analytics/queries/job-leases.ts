import { defineQuery, type Parameters } from '../storage/index.ts';

/** What a process says of itself: that it stands ready to run the jobs. */
export interface JobClaim {
  /** A name that no other process has or will have. */
  readonly holder: string;
  /** The order in which processes came; one that came back after a silence has come anew. */
  readonly term: number;
  /** Grows with each renewal. */
  readonly renewal: number;
}

/** The claims that were not given back, the newest thousand; those of processes that ended otherwise stay for a day. */
export const JOB_CLAIMS = defineQuery<Parameters, JobClaim>({
  name: 'job-claims',
  sql: `SELECT holder, term, renewal
FROM (
    SELECT holder, term, renewal, renewed_at_ms FROM job_leases FINAL
    WHERE is_released = 0
    ORDER BY renewed_at_ms DESC, holder
    LIMIT 1000
)
ORDER BY term, holder`,
  decode: (row) => ({ holder: String(row.holder), term: Number(row.term), renewal: Number(row.renewal) }),
});
