import { defineQuery, type Store } from '../../../analytics/storage/index.ts';

const STORED_REQUESTS = defineQuery<Record<string, never>, { readonly requests: number; readonly parts: number }>({
  name: 'bench-stored-requests',
  sql: `SELECT sum(rows) AS row_count, count() AS part_count
FROM system.parts
WHERE database = currentDatabase() AND table = 'requests' AND active`,
  decode: (row) => ({ requests: Number(row.row_count), parts: Number(row.part_count) }),
});

/** Rows of `requests` as they are stored, not merged, and the parts that they lie in. */
export async function countRequests(store: Store): Promise<{ readonly requests: number; readonly parts: number }> {
  const [found] = await store.query('reads', STORED_REQUESTS, {});
  return found ?? { requests: 0, parts: 0 };
}
