import { describe, expect, test } from 'vitest';
import type { Backfill, BackfillAnswer, BackfillAsk, Backfills } from '../../analytics/index.ts';
import { testServer } from './test-server.ts';

const BACKFILL: Backfill = {
  pool: 'llm-a',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  done_to: '2026-11-01T06:00:00.000Z',
  done_ratio: 0.25,
  state: 'running',
  windows: 360,
  written: 12,
  expired: 0,
  failure: null,
};

function serverWith(answer: BackfillAnswer) {
  const asks: BackfillAsk[] = [];
  const backfills: Backfills = {
    ask: async (ask) => {
      asks.push(ask);
      return answer;
    },
    list: async () => [BACKFILL],
  };
  const tokens = [
    { token: 'operator-token', scope: 'operator' },
    { token: 'ingest-token', scope: 'ingest' },
  ] as const;
  const app = testServer({ backfills, tokens });
  const send = (method: 'GET' | 'POST', payload?: object, token = 'operator-token') =>
    app.inject({
      method,
      url: '/api/v1/backfills',
      headers: { authorization: `Bearer ${token}` },
      ...(payload === undefined ? {} : { payload }),
    });
  return { asks, send };
}

describe('/api/v1/backfills', () => {
  test('takes a range and answers what will be done; times are RFC 3339 or epoch milliseconds', async () => {
    const { asks, send } = serverWith({ kind: 'asked', backfills: [BACKFILL] });
    const response = await send('POST', { pool: 'llm-a', from: '2026-11-01T00:00:00Z', to: '1793577600000' });
    expect([response.statusCode, response.json()]).toEqual([202, { backfills: [BACKFILL] }]);
    expect((await send('POST', {})).statusCode).toBe(202);
    expect(asks).toEqual([
      { pool: 'llm-a', fromMs: Date.UTC(2026, 10, 1), toMs: 1_793_577_600_000 },
      { pool: null, fromMs: null, toMs: null },
    ]);
  });

  test('lists how far each is', async () => {
    const { send } = serverWith({ kind: 'no_window' });
    expect((await send('GET')).json()).toEqual({ backfills: [BACKFILL] });
  });

  test('is for operators only', async () => {
    const { asks, send } = serverWith({ kind: 'asked', backfills: [BACKFILL] });
    for (const method of ['GET', 'POST'] as const) {
      expect((await send(method, undefined, 'ingest-token')).statusCode).toBe(403);
      expect((await send(method, undefined, 'nobody-knows-it')).statusCode).toBe(401);
    }
    expect(asks).toEqual([]);
  });

  test.each([
    [{ from: 'yesterday' }, 'from is not a time: "yesterday"'],
    [{ to: '2026-02-30T00:00:00Z' }, 'to is not a time'],
    [{ from: '2026-11-02T00:00:00Z', to: '2026-11-02T00:00:00Z' }, 'from must be before to'],
    [{ pools: 'p' }, '"pools" is not known'],
    [{ pool: '' }, 'pool'],
  ])('refuses %j in one line', async (payload, words) => {
    const { asks, send } = serverWith({ kind: 'asked', backfills: [BACKFILL] });
    const response = await send('POST', payload);
    expect(response.json()).toMatchObject({ status: 400, code: 'EVS_USAGE' });
    expect(response.json().detail).toContain(words);
    expect(response.json().detail).not.toContain('\n');
    expect(asks).toEqual([]);
  });

  test.each<[BackfillAnswer, number, string]>([
    [{ kind: 'no_pool', known: ['b'] }, 400, 'there is no pool "llm-a"; GET /api/v1/pools lists them'],
    [{ kind: 'no_pool', known: [] }, 400, 'the store holds no requests'],
    [{ kind: 'no_window' }, 400, 'the range holds no closed window with requests'],
    [{ kind: 'busy', backfill: BACKFILL }, 409, 'pool "llm-a" is being computed from 2026-11-01T00:00:00.000Z'],
  ])('says what keeps it: %j', async (answer, status, words) => {
    const response = await serverWith(answer).send('POST', { pool: 'llm-a' });
    expect(response.json()).toMatchObject({ status });
    expect(response.json().detail).toContain(words);
  });
});
