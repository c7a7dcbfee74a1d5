import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyRetention, defineQuery, type Parameters, tsvRow } from '../../../analytics/storage/index.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import { DAY_MS } from '../../../scheduler-core/kernel/index.ts';
import { event, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const NOW = defineQuery<Parameters, number>({
  name: 'now',
  sql: 'SELECT toUnixTimestamp64Milli(now64(3)) AS now_ms',
  decode: (row) => Number(row.now_ms),
});
const LEFT = (table: string, column: string) =>
  defineQuery<Parameters, string>({
    name: 'left',
    sql: `SELECT ${column} AS name FROM ${table} ORDER BY name`,
    decode: (row) => String(row.name),
  });

const UNDER_WAY = (where: string) =>
  defineQuery<Parameters, number>({
    name: 'under-way',
    sql: `SELECT count() AS mutations FROM system.mutations ${where}`,
    decode: (row) => Number(row.mutations),
  });

const RETENTION = { requestsDays: 100, windowsDays: 400, deadLettersDays: 30 };

describe('retention', () => {
  let opened: TemporaryStore;
  /** The engine's own clock, which its merges go by. */
  let nowMs: number;
  beforeAll(async () => {
    opened = await temporaryStore();
    nowMs = (await opened.store.query('reads', NOW, {}))[0] ?? 0;
    await applyRetention(opened.store, RETENTION);
  });
  afterAll(() => opened.remove());

  const daysAgo = (days: number): number => nowMs - days * DAY_MS;

  /** Every part through the merge that drops what has expired. */
  async function left(table: string, column: string): Promise<string[]> {
    await opened.store.command('reads', `OPTIMIZE TABLE ${table} FINAL`);
    return opened.store.query('reads', LEFT(table, column), {});
  }

  it('keeps a request by the later of its arrival and its storing: an old file that is loaded today stays', async () => {
    const request = (requestId: string, arrivedDaysAgo: number, storedDaysAgo: number): string =>
      tsvRow(
        requestCells(event({ requestId, tenant: 'a', arrivedAtMs: daysAgo(arrivedDaysAgo) }), daysAgo(storedDaysAgo)),
      );
    const rows = [
      request('of today', 0, 0),
      request('of 2016, loaded today', 3650, 0),
      request('of long ago', 200, 200),
      request('of last month, 99 days', 99, 99),
      request('stored early for the future', 50, 200),
    ];
    await opened.store.insert('intake', 'requests', REQUEST_COLUMNS, rows.join(''));
    expect(await left('requests', 'request_id')).toEqual([
      'of 2016, loaded today',
      'of last month, 99 days',
      'of today',
      'stored early for the future',
    ]);
  });

  it('keeps a window by the later of its minute and its computing', async () => {
    const columns = ['pool', 'window_ms', 'start_ms', 'computation'];
    const window = (pool: string, startDaysAgo: number, computedDaysAgo: number): string =>
      tsvRow([pool, 60_000, daysAgo(startDaysAgo), daysAgo(computedDaysAgo) * 1000]);
    const rows = [window('fresh', 0, 0), window('old, computed today', 3650, 0), window('old', 500, 500)].join('');
    for (const table of ['windows', 'tenant_windows']) {
      await opened.store.insert('jobs', table, columns, rows);
      expect(await left(table, 'pool'), table).toEqual(['fresh', 'old, computed today']);
    }
  });

  it('keeps dead letters from when they came', async () => {
    const letter = (source: string, days: number): string => tsvRow([source, daysAgo(days)]);
    const rows = [letter('fresh', 29), letter('old', 31)].join('');
    await opened.store.insert('intake', 'dead_letters', ['source', 'received_at_ms'], rows);
    expect(await left('dead_letters', 'source')).toEqual(['fresh']);
  });

  it('keeps what became of dead letters as long as letters', async () => {
    const note = (id: number, days: number): string => tsvRow(['stored', id, daysAgo(days)]);
    const columns = ['outcome', 'letter_id', 'retried_at_ms'];
    await opened.store.insert('intake', 'dead_letter_retries', columns, note(1, 29) + note(2, 31));
    expect(await left('dead_letter_retries', 'letter_id')).toEqual(['1']);
  });

  it('of a hundred years, which ends after the engine’s time, drops nothing', async () => {
    await applyRetention(opened.store, { requestsDays: 36_500, windowsDays: 36_500, deadLettersDays: 36_500 });
    await opened.store.insert('intake', 'dead_letters', ['source', 'received_at_ms'], tsvRow(['kept', daysAgo(29)]));
    expect(await left('dead_letters', 'source')).toEqual(['fresh', 'kept']);
    expect(await left('requests', 'request_id')).toHaveLength(4);
    await applyRetention(opened.store, RETENTION);
  });

  it('made shorter drops what is stored already; left as it is starts no work', async () => {
    const started = () => opened.store.query('reads', UNDER_WAY(''), {});
    const before = await started();
    await applyRetention(opened.store, RETENTION);
    expect(await started()).toEqual(before);
    await applyRetention(opened.store, { ...RETENTION, deadLettersDays: 7 });
    while ((await opened.store.query('reads', UNDER_WAY('WHERE NOT is_done'), {}))[0] !== 0);
    expect(await left('dead_letters', 'source')).toEqual([]);
  });
});
