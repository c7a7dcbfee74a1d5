import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEYOND_SHARE_COLUMNS } from '../../../analytics/queries/fluid-in-share.ts';
import { defineQuery, type Parameters, type ParameterValue, tsvRow } from '../../../analytics/storage/index.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';
import { fillStore, HOSTILE_POOLS, OTHERWISE, PARAMETERS } from './query-cases.ts';
import {
  type AnyQuery,
  type Placeholder,
  placeholdersOf,
  readStatements,
  rowsOf,
  type Statement,
} from './statements.ts';
import { FROM_MS, STORED } from './window-cases.ts';

const GOLDEN = join(import.meta.dirname, 'golden');
const HOSTILE = [
  "'; DROP TABLE requests; --",
  "a','b",
  "' OR 1=1 --",
  '\\',
  "\\' OR 1=1 --",
  '{pool:String}',
  '\0',
  '%',
];

const statements = await readStatements();
const queries = statements.flatMap(({ name, sql, query }) => (query === null ? [] : [{ name, sql, query }]));
const CREATES = statements.filter(({ sql }) => sql.startsWith('CREATE'));
const FILLS = statements.filter(({ sql }) => sql.startsWith('INSERT'));

/** The parameters of a statement, with one of them replaced. */
function parametersOf({ name, sql }: Pick<Statement, 'name' | 'sql'>, replaced: Parameters = {}): Parameters {
  const known: Readonly<Record<string, ParameterValue>> = { ...PARAMETERS, ...OTHERWISE[name], ...replaced };
  return Object.fromEntries(
    placeholdersOf(sql).map((placeholder) => {
      const value = known[placeholder.name];
      if (value === undefined) throw new Error(`query-cases.ts has no value for {${placeholder.name}:…} of ${name}`);
      return [placeholder.name, value];
    }),
  );
}

/** What JSON has no words for. */
function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Map ? [...value] : value;
}

const textsOf = (sql: string): Placeholder[] =>
  placeholdersOf(sql).filter(({ type }) => type === 'String' || type === 'Array(String)');

/** What it reads is the job's own; its pool is a name that it writes. */
const WRITES_ITS_POOL = 'fill-wait-histograms';
const HISTOGRAM_POOLS = defineQuery<Parameters, string>({
  name: 'histogram-pools',
  sql: 'SELECT DISTINCT pool FROM wait_histograms',
  decode: (row) => String(row.pool),
});

/** Rows of every table, so that nothing can go or come unseen. */
const CONTENTS = defineQuery<Parameters, readonly [string, number]>({
  name: 'contents',
  sql: `SELECT table, sum(rows) AS n FROM system.parts
WHERE active AND database = currentDatabase() GROUP BY table ORDER BY table`,
  decode: (row) => [String(row.table), Number(row.n)],
});

describe('every query of the product, on the engine', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
    await fillStore(opened);
    const fills = await fillsOfTheJob();
    for (const { sql } of CREATES) await opened.store.command('jobs', sql);
    await opened.store.insert(
      'jobs',
      'beyond_share',
      BEYOND_SHARE_COLUMNS,
      tsvRow(['a', FROM_MS, FROM_MS + 5_000]) + tsvRow(['a', FROM_MS + 9_000, FROM_MS + 10_000]),
    );
    for (const sql of fills) await opened.store.command('jobs', sql, parametersOf({ name: 'fill', sql }));
  });
  afterAll(() => opened.remove());

  /** The statements by which a computation fills the job's tables, in its order; it stores nothing here. */
  async function fillsOfTheJob(): Promise<string[]> {
    const fills: string[] = [];
    const noting = storeWith(opened.store, {
      command: (lane, sql, params, settings) => {
        if (sql.startsWith('INSERT')) fills.push(sql);
        return opened.store.command(lane, sql, params, settings);
      },
      insert: async () => {},
    });
    await computeRange(noting, {
      pool: PARAMETERS.pool,
      windowMs: PARAMETERS.window_ms,
      fromMs: PARAMETERS.from_ms,
      toMs: PARAMETERS.to_ms,
      watermarkMs: PARAMETERS.watermark_ms,
      closedToMs: PARAMETERS.watermark_ms,
      options: DEFAULT_POOL_OPTIONS,
      computation: 3_000,
    });
    return fills;
  }

  const rows = (query: AnyQuery, params: Parameters): Promise<unknown[]> => rowsOf(opened.store, 'jobs', query, params);

  it.each(queries)('$name gives its rows, typed', async (statement) => {
    const found = await rows(statement.query, parametersOf(statement));
    expect(found.length, 'a query whose rows nobody has seen').toBeGreaterThan(0);
    const lines = found.map((row) => `${JSON.stringify(row, readable)}\n`).join('');
    await expect(lines).toMatchFileSnapshot(join(GOLDEN, `${statement.name}.rows.jsonl`));
  });

  it('the golden windows are those that were stored', async () => {
    const range = { pool: 'p', windowMs: 60_000, fromMs: FROM_MS, toMs: FROM_MS + 120_000 };
    expect(await readWindows(opened.store, 'reads', range, true)).toEqual(STORED);
  });

  it.each(queries.filter(({ sql }) => textsOf(sql).length > 0))(
    '$name takes a hostile text for a name that nobody has',
    async (statement) => {
      const contents = await opened.store.query('reads', CONTENTS, {});
      for (const { name, type } of textsOf(statement.sql)) {
        const given = (text: string): Parameters =>
          parametersOf(statement, { [name]: type === 'String' ? text : [text] });
        const nobody = await rows(statement.query, given('nobody-is-called-so'));
        if (name === 'pool' && /ORDER BY [^)]*$/.test(statement.sql)) expect(nobody).toEqual([]);
        for (const text of HOSTILE) {
          expect(await rows(statement.query, given(text)), `${name} = ${JSON.stringify(text)}`).toEqual(nobody);
        }
      }
      expect(await opened.store.query('reads', CONTENTS, {})).toEqual(contents);
    },
  );

  it('pools with hostile names have their own requests and nobody else’s', async () => {
    const active = queries.find(({ name }) => name === 'active-hours');
    if (active === undefined) throw new Error('there is no such query');
    for (const pool of HOSTILE_POOLS) {
      const hours = await rows(active.query, { pool });
      expect(hours).toEqual([
        expect.objectContaining({ firstArrivalMs: FROM_MS + 1_000, lastArrivalMs: FROM_MS + 1_000 }),
      ]);
    }
  });

  it.each(queries.filter(({ sql }) => sql.includes(':Identifier}')))(
    '$name takes no text for a table',
    async (statement) => {
      for (const text of [
        'requests; DROP TABLE requests',
        'nowhere',
        'window_rows WHERE 1=0 UNION ALL SELECT 1',
        '`',
      ]) {
        const refused = rows(statement.query, parametersOf(statement, { rows: text }));
        await expect(refused, text).rejects.toMatchObject({ code: expect.stringMatching(/^EVS_STORE_/) });
      }
    },
  );

  it('statements that fill the job’s tables take hostile texts for names that nobody has', async () => {
    const contents = await opened.store.query('reads', CONTENTS, {});
    expect(FILLS.length).toBeGreaterThan(2);
    for (const fill of FILLS.filter(({ name }) => name !== WRITES_ITS_POOL)) {
      for (const { name } of textsOf(fill.sql)) {
        for (const text of HOSTILE) {
          await opened.store.command('jobs', fill.sql, parametersOf(fill, { [name]: text }));
        }
      }
    }
    expect(await opened.store.query('reads', CONTENTS, {})).toEqual(contents);
  });

  it('histograms of a pool with a hostile name are stored under that very name', async () => {
    const fill = FILLS.find(({ name }) => name === WRITES_ITS_POOL);
    if (fill === undefined) throw new Error('there is no such statement');
    for (const pool of HOSTILE) await opened.store.command('jobs', fill.sql, parametersOf(fill, { pool }));
    const pools = (await opened.store.query('reads', HISTOGRAM_POOLS, {})).filter((pool) => HOSTILE.includes(pool));
    expect(pools.sort()).toEqual([...HOSTILE].sort());
  });
});
