import { defineQuery, openClickHouse, type Store } from '../../analytics/storage/index.ts';

/** What a data folder holds, counted by the engine itself. */
export interface StoreContents {
  /** Rows of `requests`, merged: one a request. */
  readonly requests: number;
  readonly requestIds: number;
  /** A digest of every field of every request but when and how often it came. */
  readonly digest: string;
  /** Dead letters, merged. */
  readonly letters: number;
  /** Different contents among them. */
  readonly letterContents: number;
}

const REQUESTS = defineQuery<Record<string, never>, Omit<StoreContents, 'letters' | 'letterContents'>>({
  name: 'test-requests',
  sql: `SELECT count() AS requests, uniqExact(request_id) AS ids,
    toString(groupBitXor(cityHash64(toString(tuple(* EXCEPT (stored_at_ms, deliveries)))))) AS digest
FROM requests FINAL`,
  decode: (row) => ({ requests: Number(row.requests), requestIds: Number(row.ids), digest: String(row.digest) }),
});

const LETTERS = defineQuery<Record<string, never>, Pick<StoreContents, 'letters' | 'letterContents'>>({
  name: 'test-letters',
  sql: 'SELECT count() AS letters, uniqExact(raw_base64) AS contents FROM dead_letters FINAL',
  decode: (row) => ({ letters: Number(row.letters), letterContents: Number(row.contents) }),
});

export async function contentsOf(store: Store): Promise<StoreContents> {
  const [requests] = await store.query('reads', REQUESTS, {});
  const [letters] = await store.query('reads', LETTERS, {});
  if (requests === undefined || letters === undefined) throw new Error('a count without a row');
  return { ...requests, ...letters };
}

/** The same of a folder that no process holds. */
export async function folderContents(path: string): Promise<StoreContents> {
  const store = await openClickHouse({ kind: 'embedded', path });
  try {
    return await contentsOf(store);
  } finally {
    await store.close();
  }
}
