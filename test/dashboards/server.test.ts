import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  type PoolSummary,
  PoolsResponseSchema,
  type PoolWindows,
  PoolWindowsSchema,
} from '../../dashboards/api-schema.ts';
import { ERROR_CODES, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { arbitraryOf } from './arbitrary-of-schema.ts';
import { fakeReader } from './fake-reader.ts';
import { noisyHour } from './noisy-hour.ts';
import { NOW_MS, testServer } from './test-server.ts';

const HOUR = noisyHour({ fromMs: Date.parse('2026-11-01T10:00:00.000Z') });

describe('GET /api/v1/pools', () => {
  test('lists the pools in order of name with their newest window, the server time and the dead letters', async () => {
    const reader = fakeReader({ ...HOUR, pool: 'llm-b' }, HOUR, { ...HOUR, pool: 'empty', windows: [] });
    reader.deadLetterCounts = { bad_json: 2 };
    const response = await testServer({ reader }).inject('/api/v1/pools');
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(body.pools.map((pool: { pool: string }) => pool.pool)).toEqual(['empty', 'llm-a', 'llm-b']);
    expect(body.pools[0].latest).toBeNull();
    expect(body.pools[1].latest.start).toBe('2026-11-01T10:59:00.000Z');
    expect(body).toMatchObject({
      now: '2026-11-01T11:00:07.000Z',
      window_ms: 60_000,
      dead_letters: { since: '2026-10-31T11:00:07.000Z', by_reason: { bad_json: 2 } },
    });
    expect(response.headers['cache-control']).toBe('no-store');
  });
});

describe('GET /api/v1/pools/:pool/windows', () => {
  test('answers the last hour with tenants when nothing else is asked', async () => {
    const reader = fakeReader(HOUR);
    const response = await testServer({ reader }).inject('/api/v1/pools/llm-a/windows');
    expect(reader.queries).toEqual([
      { pool: 'llm-a', fromMs: NOW_MS - 3_600_000, toMs: NOW_MS, windowMs: 60_000, withTenants: true },
    ]);
    expect(response.json().windows).toHaveLength(59);
    expect(response.json().windows[0].tenants).toHaveLength(25);
  });

  test('reads the range as RFC 3339 or epoch milliseconds and leaves tenants out on request', async () => {
    const reader = fakeReader(HOUR);
    const url = `/api/v1/pools/llm-a/windows?from=2026-11-01T12:05:00%2B02:00&to=${Date.parse('2026-11-01T10:07:00Z')}&tenants=0`;
    const response = await testServer({ reader }).inject(url);
    expect(response.json().windows.map((window: { start: string }) => window.start)).toEqual([
      '2026-11-01T10:05:00.000Z',
      '2026-11-01T10:06:00.000Z',
    ]);
    expect(response.json().windows[0].tenants).toEqual([]);
  });

  test('takes pool names with slashes, spaces, percent signs and 300 characters', async () => {
    for (const pool of ['a/b', 'gpu 1', '100%', 'é'.repeat(300), '..', '<script>']) {
      const reader = fakeReader({ ...HOUR, pool });
      const response = await testServer({ reader }).inject(
        `/api/v1/pools/${encodeURIComponent(pool)}/windows?tenants=0`,
      );
      // A path segment ".." is resolved by clients before it is sent; every other name must arrive as it is.
      if (pool !== '..') expect([pool, response.json().pool]).toEqual([pool, pool]);
    }
  });

  test.each([
    ['?from=0', 'at most 1441'],
    ['?from=2026-10-31T10:58:07Z', 'at most 1441'],
    ['?from=yesterday', 'from is not a time: "yesterday"'],
    ['?to=2026-02-30T00:00:00Z', 'to is not a time'],
    ['?from=2026-11-01T11:00:00Z&to=2026-11-01T11:00:00Z', 'from must be before to'],
    ['?tenants=yes', 'tenants'],
    ['?form=0', '"form" is not known'],
    ['?from=0&from=1', 'from'],
  ])('refuses %s as a problem that says %s', async (query, words) => {
    const response = await testServer({ reader: fakeReader(HOUR) }).inject(`/api/v1/pools/llm-a/windows${query}`);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json()).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'EVS_USAGE',
    });
    expect(response.json().detail).toContain(words);
  });

  test('answers 1,441 windows at once', async () => {
    const url = '/api/v1/pools/llm-a/windows?from=2026-10-31T10:59:07Z&tenants=0';
    expect((await testServer({ reader: fakeReader(HOUR) }).inject(url)).statusCode).toBe(200);
  });

  test('tells an unknown pool (404) from a known one without windows in the range (200)', async () => {
    const app = testServer({ reader: fakeReader(HOUR) });
    const unknown = await app.inject('/api/v1/pools/nowhere/windows');
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json().detail).toBe('there is no pool "nowhere"; GET /api/v1/pools lists them');
    const empty = await app.inject('/api/v1/pools/llm-a/windows?from=0&to=60000');
    expect([empty.statusCode, empty.json().windows]).toEqual([200, []]);
  });
});

describe('answers', () => {
  // The reader is trusted for meaning; what the server may not do is change it.
  test('any pool windows survive the way through the server unchanged', async () => {
    let stored = HOUR;
    const app = testServer({ reader: { ...fakeReader(HOUR), windows: async () => stored } });
    await fc.assert(
      fc.asyncProperty(arbitraryOf(PoolWindowsSchema), async (value) => {
        stored = value as PoolWindows; // seam: the arbitrary is derived from the schema of this very type
        const response = await app.inject('/api/v1/pools/llm-a/windows');
        expect(JSON.parse(response.body)).toEqual(stored);
      }),
    );
  });

  test('any pool summaries survive the way through the server unchanged', async () => {
    let stored: readonly PoolSummary[] = [];
    const app = testServer({ reader: { ...fakeReader(), pools: async () => stored } });
    await fc.assert(
      fc.asyncProperty(arbitraryOf(PoolsResponseSchema.properties.pools), async (value) => {
        stored = value as PoolSummary[]; // seam: as above
        const byName = [...stored].sort((a, b) => (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0));
        const response = await app.inject('/api/v1/pools');
        expect(JSON.parse(response.body).pools).toEqual(byName);
      }),
    );
  });

  test('a field that the schema does not know is passed on, not dropped', async () => {
    const windows = HOUR.windows.slice(-1).map((window) => ({ ...window, added_later: { p99: 1 } }));
    const response = await testServer({ reader: fakeReader({ ...HOUR, windows }) }).inject(
      '/api/v1/pools/llm-a/windows',
    );
    expect(response.json().windows[0].added_later).toEqual({ p99: 1 });
  });

  test.each([
    ['a figure that is not a number', { demand_cost: Number.NaN }],
    ['an infinite figure', { demand_cost: Number.POSITIVE_INFINITY }],
    ['a count with a fraction', { requests: 1.5 }],
    ['a null count', { requests: null }],
    ['an object where the schema says null', { fluid: { jain_index: 1 } }],
  ])('%s fails the request instead of being rewritten', async (_what, wrong) => {
    const windows = HOUR.windows.slice(0, 1).map((window) => ({ ...window, ...wrong }));
    const reader = { ...fakeReader(), windows: async () => ({ ...HOUR, windows }) as PoolWindows }; // seam: wrong on purpose
    const response = await testServer({ reader }).inject('/api/v1/pools/llm-a/windows');
    expect(response.statusCode).toBe(500);
    expect(response.json().detail).toMatch(/^the server failed to answer; its log has the cause under request /);
  });
});

describe('errors', () => {
  test.each([
    [new EvenshareError('EVS_STORE_UNREACHABLE', 'the store cannot be reached', { retryable: true }), 503],
    [new EvenshareError('EVS_STORE_FULL', 'the store has no room left', { retryable: true }), 503],
    [new EvenshareError('EVS_STORE_SCHEMA', 'run "evenshare migrate"'), 500],
    [new EvenshareError('EVS_RANGE_EXPIRED', 'windows of 2024 have expired'), 410],
    [new EvenshareError('EVS_USAGE', 'no such window length'), 400],
  ])('%s is told with its code and words', async (error, status) => {
    const reader = fakeReader(HOUR);
    reader.failure = error;
    const response = await testServer({ reader }).inject('/api/v1/pools');
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json()).toMatchObject({ status, code: error.code, detail: error.message });
    expect(response.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
  });

  test('the words of a foreign error stay in the log', async () => {
    const reader = fakeReader(HOUR);
    reader.failure = new Error('connect to http://user:secret@10.0.0.1 failed');
    const response = await testServer({ reader }).inject('/api/v1/pools');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('secret');
    expect(ERROR_CODES).toContain(response.json().code);
  });

  test('the cause of a failure is in the log under the id that the answer names; what succeeds is not logged', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const reader = fakeReader(HOUR);
    const app = testServer({ reader, log });
    await app.inject('/api/v1/pools');
    expect(lines).toEqual([]);
    reader.failure = new Error('the cause');
    const { detail } = (await app.inject('/api/v1/pools')).json();
    expect(lines).toHaveLength(1);
    const logged = JSON.parse(lines[0] ?? '{}');
    expect(logged.err.message).toBe('the cause');
    expect(detail).toContain(`request ${logged.reqId}`);
  });

  test.each(['/nothing?token=secret', '/api/v1/nothing', '/assets/nothing.js', '/'])(
    '%s where there is nothing is a 404 problem without the query',
    async (url) => {
      const response = await testServer().inject(url);
      expect(response.json()).toMatchObject({ status: 404, title: 'Not Found', code: 'EVS_HTTP' });
      expect(response.body).not.toContain('secret');
    },
  );

  test.each(['/assets/..%2f..%2fpackage.json', '/assets/%2e%2e/server.js', '/assets/.env'])(
    '%s is refused: nothing outside the built page is served',
    async (url) => {
      const webRoot = await mkdtemp(join(tmpdir(), 'evenshare-web-'));
      await writeFile(join(webRoot, 'index.html'), '<!doctype html>');
      const app = testServer({ webRoot });
      expect((await app.inject('/')).body).toBe('<!doctype html>');
      const response = await app.inject(url);
      expect([403, 404]).toContain(response.statusCode);
      expect(response.headers['content-type']).toBe('application/problem+json');
    },
  );

  test('says that the page is not built where it is not; the API is there all the same', async () => {
    const app = testServer();
    expect((await app.inject('/')).json().detail).toContain('the page is not built: run "npm run build"');
    expect((await app.inject('/api/v1/pools')).statusCode).toBe(200);
  });

  test('a body that is not JSON is a 400 problem on routes that are registered later', async () => {
    const app = testServer();
    app.register(async (intake) => intake.post('/v1/events', async () => ({})));
    const headers = { 'content-type': 'application/json' };
    const response = await app.inject({ method: 'POST', url: '/v1/events', headers, body: '{' });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.statusCode).toBe(400);
  });
});

describe('operations', () => {
  test('/healthz says that the process runs, whatever the store does', async () => {
    expect((await testServer().inject('/healthz')).json()).toEqual({ status: 'ok' });
  });

  test('/readyz is 503 with every reason until the process is ready', async () => {
    const readiness = { ready: false, reasons: ['migrations are running', 'no window is computed yet'] };
    const response = await testServer({ readiness: async () => readiness }).inject('/readyz');
    expect([response.statusCode, response.json()]).toEqual([503, readiness]);
    expect((await testServer().inject('/readyz')).statusCode).toBe(200);
  });

  test('/metrics passes on what is rendered with its content type', async () => {
    const response = await testServer().inject('/metrics');
    expect([response.headers['content-type'], response.body]).toEqual([
      'text/plain; version=0.0.4; charset=utf-8',
      'up 1\n',
    ]);
  });

  test('/api/v1/openapi.json describes every route with its answers, and those of plugins registered later', async () => {
    const app = testServer();
    app.register(async (intake) => intake.post('/v1/events', async () => ({})));
    const { openapi, paths } = (await app.inject('/api/v1/openapi.json')).json();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths).sort()).toEqual([
      '/api/v1/backfills',
      '/api/v1/pools',
      '/api/v1/pools/{pool}/explain',
      '/api/v1/pools/{pool}/series',
      '/api/v1/pools/{pool}/windows',
      '/healthz',
      '/metrics',
      '/readyz',
      '/v1/events',
    ]);
    const answers = paths['/api/v1/pools/{pool}/windows'].get.responses;
    const window = answers['200'].content['application/json'].schema.properties.windows.items;
    expect(window.properties.jain_index).toEqual({ anyOf: [{ type: 'number' }, { type: 'null' }] });
    expect(Object.keys(answers['4XX'].content)).toEqual(['application/problem+json']);
  });

  test('every answer carries a policy that allows nothing inline and nothing foreign', async () => {
    const { headers } = await testServer().inject('/healthz');
    expect(headers['content-security-policy']).toBe(
      "default-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';object-src 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});
