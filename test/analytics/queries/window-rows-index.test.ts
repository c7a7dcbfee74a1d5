import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILL_WINDOW_ROWS } from '../../../analytics/queries/window-rows.ts';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { PARAMETERS } from './query-cases.ts';
import { placeholdersOf, readStatements } from './statements.ts';

const FROM_MS = 1_790_848_800_000;
const MINUTE_MS = 60_000;
const MINUTES = 30;
const PER_MINUTE = 20_000;
/** Rows per granule, the engine's default. */
const GRANULE_ROWS = 8192;

/** What stands for the end of a request that has none, in the index and wherever it is asked for. */
const NEVER = '9223372036854775807';

const squeeze = (sql: string): string => sql.replaceAll(/\s+/g, ' ').replaceAll(/ ?([(),]) ?/g, '$1');

/** The expression of the index in the schema, as it stands there. */
function indexExpression(): string {
  const schema = readFileSync(new URL('../../../analytics/schema/0001_requests.sql', import.meta.url), 'utf8');
  const expression = /INDEX ends_at_ms_range (?<expression>[\s\S]*?) TYPE minmax/.exec(schema)?.groups?.expression;
  if (expression === undefined) throw new Error('0001_requests.sql has no index ends_at_ms_range');
  return squeeze(expression);
}

describe('what a window reads of earlier minutes', () => {
  it('is chosen by the very expression of the index: any other would not use it', async () => {
    const index = indexExpression();
    const asking = (await readStatements())
      .map(({ sql }) => squeeze(sql))
      .filter((sql) => sql.includes(`completed_at_ms IS NULL,${NEVER}`));
    expect(asking).toContain(squeeze(FILL_WINDOW_ROWS));
    for (const sql of asking) expect(sql.split(NEVER).length, sql).toBe(sql.split(index).length);
  });

  describe('of half an hour of requests', () => {
    let opened: TemporaryStore;
    beforeAll(async () => {
      opened = await temporaryStore();
      // Requests of a second each, evenly over the minutes; and one of the first minute that goes on until the last.
      const insert = `INSERT INTO requests (pool, tenant, request_id, attempt, arrived_at_ms, dispatched_at_ms, completed_at_ms, stored_at_ms)
        SELECT 'p', toString(number % 50), toString(number), 1, {from_ms:Int64} + intDiv(number * {minute_ms:Int64}, {per_minute:Int64}) AS at,
          at, if(number = 5, {from_ms:Int64} + {minutes:Int64} * {minute_ms:Int64} - 1, at + 1000), 0
        FROM numbers({rows:UInt64})`;
      const params = { from_ms: FROM_MS, minute_ms: MINUTE_MS, per_minute: PER_MINUTE, minutes: MINUTES };
      await opened.store.command('intake', insert, { ...params, rows: MINUTES * PER_MINUTE });
      await opened.store.command('intake', 'OPTIMIZE TABLE requests FINAL');
      // The plan names the tables of the job, so they must be there.
      for (const { sql } of await readStatements()) {
        if (sql.startsWith('CREATE')) await opened.store.command('jobs', sql);
      }
    });
    afterAll(() => opened.remove());

    /** The granules that a statement's SELECT reads of all its tables, by the last index that the engine applies to each. */
    async function granules(insert: string): Promise<number> {
      const select = insert.slice(insert.indexOf('\nSELECT') + 1);
      const explain = defineQuery<Parameters, string>({
        name: 'explain',
        sql: `EXPLAIN indexes = 1 ${select}`,
        decode: (row) => String(row.explain),
      });
      const known: Parameters = {
        ...PARAMETERS,
        from_ms: FROM_MS + (MINUTES - 1) * MINUTE_MS,
        refused_from_ms: FROM_MS + (MINUTES - 1) * MINUTE_MS,
        to_ms: FROM_MS + MINUTES * MINUTE_MS,
        lookback_from_ms: FROM_MS - 60 * MINUTE_MS,
      };
      const params = Object.fromEntries(placeholdersOf(select).map(({ name }) => [name, known[name] ?? null]));
      const plan = await opened.store.query('jobs', explain, params);
      const read: number[] = [];
      for (const line of plan) {
        const [, granulesLeft] = /Granules: (\d+)\/\d+/.exec(line) ?? [];
        if (line.includes('ReadFromMergeTree')) read.push(0);
        else if (granulesLeft !== undefined) read[read.length - 1] = Number(granulesLeft);
      }
      expect(read.length, plan.join('\n')).toBeGreaterThan(0);
      return read.reduce((sum, each) => sum + each, 0);
    }

    const all = Math.ceil((MINUTES * PER_MINUTE) / GRANULE_ROWS);

    it('are the granules of its own minute, and of earlier ones those in which something had not ended', async () => {
      expect(await granules(FILL_WINDOW_ROWS)).toBeLessThanOrEqual(all / 2);
    });

    it('would be all of them by an expression that differs, as little as it may', async () => {
      const another = FILL_WINDOW_ROWS.replaceAll(NEVER, '9223372036854775806');
      expect(await granules(another)).toBeGreaterThanOrEqual(all);
    });
  });
});
