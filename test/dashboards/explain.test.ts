import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fakeReader } from './fake-reader.ts';
import { noisyHour } from './noisy-hour.ts';
import { testServer } from './test-server.ts';

// The explanation has tests of its own; here is what the server makes of it.

const HOUR = noisyHour({ fromMs: Date.parse('2026-11-01T10:00:00.000Z'), missingMinutes: [20, 21] });
const EXPLAIN = '/api/v1/pools/llm-a/explain';

async function get(url: string) {
  const response = await testServer({ reader: fakeReader(HOUR) }).inject(url);
  return { status: response.statusCode, body: response.json() };
}

describe('GET /api/v1/pools/:pool/explain', () => {
  test('explains the window that holds the moment, as RFC 3339 or epoch milliseconds', async () => {
    const { status, body } = await get(`${EXPLAIN}?at=2026-11-01T10:06:30Z`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      pool: 'llm-a',
      tenant: null,
      top_cause: { cause: 'over_served', tenant: 'heavy' },
      window: { start: '2026-11-01T10:06:00.000Z', verdict: 'unfair' },
    });
    expect(body.summary[0]).toMatch(/^At 10:06 UTC on 2026-11-01 pool llm-a was unfair: /);
    expect(await get(`${EXPLAIN}?at=${Date.parse('2026-11-01T10:06:00Z')}`)).toEqual({ status, body });
  });

  test('explains one tenant', async () => {
    const { body } = await get(`${EXPLAIN}?at=2026-11-01T10:06:30Z&tenant=small03`);
    expect(body.tenants.map((each: { tenant: string }) => each.tenant)).toEqual(['small03', 'heavy']);
    expect(body.ledger.tenants).toHaveLength(1);
  });

  test.each([
    ['?at=2026-11-01T10:20:30Z', 404, 'the nearest start 2026-11-01T10:19:00.000Z and 2026-11-01T10:22:00.000Z'],
    ['?at=2026-12-24T10:20:30Z', 404, 'the newest ends 2026-11-01T11:00:00.000Z'],
    ['?at=2026-11-01T10:06:30Z&tenant=nobody', 404, 'tenant nobody has no request in the window'],
    ['?at=yesterday', 400, 'at is not a time: "yesterday"'],
    ['?tenant=a', 400, 'at'],
    ['?at=0&til=1', 400, '"til" is not known'],
  ])('refuses %s with %i and says %s', async (query, expected, words) => {
    const { status, body } = await get(`${EXPLAIN}${query}`);
    expect([status, body.status]).toEqual([expected, expected]);
    expect(body.detail).toContain(words);
  });

  test('tells an unknown pool from a known one', async () => {
    const { status, body } = await get('/api/v1/pools/nowhere/explain?at=0');
    expect([status, body.detail]).toEqual([404, 'there is no pool "nowhere"; GET /api/v1/pools lists them']);
  });

  test('needs a token that may read', async () => {
    const app = testServer({
      reader: fakeReader(HOUR),
      tokens: [
        { token: 'operator-token', scope: 'operator' },
        { token: 'ingest-token', scope: 'ingest' },
      ],
    });
    const url = `${EXPLAIN}?at=2026-11-01T10:06:30Z`;
    const statusWith = async (token: string) =>
      (await app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
    expect((await app.inject(url)).statusCode).toBe(401);
    expect(await statusWith('ingest-token')).toBe(403);
    expect(await statusWith('operator-token')).toBe(200);
  });

  test('is in the OpenAPI document with its answer', async () => {
    const { paths } = (await testServer().inject('/api/v1/openapi.json')).json();
    const { schema } = paths['/api/v1/pools/{pool}/explain'].get.responses['200'].content['application/json'];
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['summary', 'notes', 'top_cause', 'window', 'tenants', 'filling', 'ledger']),
    );
  });

  test('takes any tenant name, and gives none back that a terminal would obey in a sentence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (name) => {
        const hour = noisyHour({ fromMs: 0, minutes: 7, renames: { small03: name } });
        const app = testServer({ reader: fakeReader(hour) });
        const response = await app.inject(`${EXPLAIN}?at=${6 * 60_000}&tenant=${encodeURIComponent(name)}`);
        expect(response.statusCode).toBe(200);
        const { tenant, summary } = response.json();
        expect(tenant).toBe(name);
        for (const sentence of summary) expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 100 },
    );
  });
});
