import type { Store } from '../../../analytics/storage/index.ts';

export interface SqlTraffic {
  readonly pool: string;
  readonly requests: number;
  readonly tenants: number;
  /** Arrivals spread evenly over `[fromMs, fromMs + spanMs)`, epoch ms. */
  readonly fromMs: number;
  readonly spanMs: number;
  /** Makes the ids of this traffic its own. */
  readonly salt: number;
}

/**
 * Fills `requests` in the engine itself, a thousand thousand rows an insert: a few loud tenants, many quiet ones, waits up to 3 s,
 * service up to 2 s, one in a hundred refused. What takes minutes to send takes seconds to make.
 */
export async function insertTraffic(store: Store, traffic: SqlTraffic): Promise<void> {
  for (let from = 0; from < traffic.requests; from += ROWS_PER_INSERT) {
    await store.command('intake', INSERT_TRAFFIC, {
      pool: traffic.pool,
      tenants: traffic.tenants,
      from_ms: traffic.fromMs,
      span_ms: traffic.spanMs,
      requests: traffic.requests,
      salt: traffic.salt,
      first: from,
      rows: Math.min(ROWS_PER_INSERT, traffic.requests - from),
    });
  }
}

const ROWS_PER_INSERT = 1_000_000;

const INSERT_TRAFFIC = `INSERT INTO requests (pool, tenant, request_id, attempt, arrived_at_ms, outcome, reason,
    dispatched_at_ms, completed_at_ms, cost_estimate, input_tokens, output_tokens, stored_at_ms)
SELECT
    {pool:String},
    'tenant-' || toString(toUInt64(pow(draw(1), 2) * {tenants:UInt64})),
    toString({salt:UInt64}) || '-' || toString(n),
    1,
    at,
    if(refused, 'rejected', NULL),
    if(refused, 'queue_full', NULL),
    if(refused, NULL, at + toInt64(pow(draw(2), 4) * 3000) AS dispatched),
    if(refused, NULL, dispatched + toInt64(draw(3) * 2000)),
    if(refused, 500, NULL),
    if(refused, NULL, toUInt64(draw(4) * 2000)),
    if(refused, NULL, toUInt64(draw(5) * 500)),
    at
FROM (
    SELECT
        number + {first:UInt64} AS n,
        {from_ms:Int64} + intDiv(n * {span_ms:Int64}, {requests:UInt64}) AS at,
        draw(0) < 0.01 AS refused
    FROM numbers({rows:UInt64})
)
SETTINGS max_insert_block_size = ${ROWS_PER_INSERT}`.replaceAll(
  /draw\((\d)\)/g,
  '(cityHash64(n, {salt:UInt64}, $1) % 1000000 / 1000000)',
);
