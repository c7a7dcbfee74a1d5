import { describe, expect, test } from 'vitest';
import { refuseForeignPage } from '../../dashboards/browser-guard.ts';
import { LOOPBACK_HOSTS } from '../../dashboards/index.ts';
import { testServer } from './test-server.ts';

const TOKENS = [
  { token: 'operator-token', scope: 'operator' },
  { token: 'ingest-token', scope: 'ingest' },
] as const;

function guarded() {
  const app = testServer({ tokens: TOKENS, readiness: async () => ({ ready: false, reasons: ['the store is down'] }) });
  app.register(async (intake) => {
    intake.post('/v1/events', async () => ({ accepted: 1 }));
    intake.get('/v1/events', async () => ({}));
  });
  return app;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('tokens', () => {
  test.each([
    ['no token', {}],
    ['an unknown token', bearer('operator-tokem')],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic b3BlcmF0b3ItdG9rZW4=' }],
  ])('%s is refused with 401 everywhere but on open routes', async (_what, headers) => {
    const app = guarded();
    for (const url of ['/api/v1/pools', '/api/v1/pools/a/windows', '/api/v1/openapi.json', '/metrics']) {
      const response = await app.inject({ url, headers });
      expect([url, response.statusCode]).toEqual([url, 401]);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="evenshare"');
      expect(response.json()).toMatchObject({ title: 'Unauthorized', code: 'EVS_HTTP' });
    }
    expect((await app.inject({ method: 'POST', url: '/v1/events', headers })).statusCode).toBe(401);
    expect((await app.inject({ method: 'HEAD', url: '/api/v1/pools', headers })).statusCode).toBe(401);
    expect((await app.inject({ url: '/healthz', headers })).statusCode).toBe(200);
  });

  test('an operator may read, and may send events', async () => {
    const app = guarded();
    const headers = bearer('operator-token');
    for (const url of ['/api/v1/pools', '/api/v1/openapi.json', '/metrics']) {
      expect((await app.inject({ url, headers })).statusCode).toBe(200);
    }
    expect((await app.inject({ method: 'POST', url: '/v1/events', headers })).json()).toEqual({ accepted: 1 });
  });

  test('an ingest token may POST events and nothing else', async () => {
    const app = guarded();
    const headers = bearer('ingest-token');
    expect((await app.inject({ method: 'POST', url: '/v1/events', headers })).json()).toEqual({ accepted: 1 });
    for (const url of ['/v1/events', '/api/v1/pools', '/metrics', '/api/v1/openapi.json']) {
      expect([url, (await app.inject({ url, headers })).statusCode]).toEqual([url, 403]);
    }
  });

  test('the scheme is read without regard to case', async () => {
    const response = await guarded().inject({ url: '/metrics', headers: { authorization: 'bearer operator-token' } });
    expect(response.statusCode).toBe(200);
  });

  test('a load balancer learns whether the process is ready, an operator why not', async () => {
    const app = guarded();
    const anyone = await app.inject('/readyz');
    expect([anyone.statusCode, anyone.json().reasons]).toEqual([503, ['send an operator token to see why']]);
    expect((await app.inject({ url: '/readyz', headers: bearer('operator-token') })).json().reasons).toEqual([
      'the store is down',
    ]);
  });

  test('without tokens everything is open', async () => {
    expect((await testServer().inject('/api/v1/pools')).statusCode).toBe(200);
  });
});

describe('host names', () => {
  test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080', '[::1]', 'localhost.:80'])(
    '%s reaches a server on loopback',
    async (host) => {
      const app = testServer({ allowedHosts: LOOPBACK_HOSTS });
      expect((await app.inject({ url: '/healthz', headers: { host } })).statusCode).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:8080',
    'localhost:80:80',
    'evil@localhost',
  ])('"%s" does not: a page of that name may have been rebound to this machine', async (host) => {
    const app = testServer({ allowedHosts: LOOPBACK_HOSTS });
    const response = await app.inject({ url: '/api/v1/pools', headers: { host } });
    expect(response.json()).toMatchObject({ status: 421, title: 'Misdirected Request', code: 'EVS_HTTP' });
  });

  test.each([undefined, ''])('a request that names no host (%s) does not reach it either', (host) => {
    expect(refuseForeignPage(LOOPBACK_HOSTS, { host, method: 'GET', fetchSite: undefined })?.status).toBe(421);
  });

  test('any name reaches a server that allows any', async () => {
    const response = await testServer({ allowedHosts: null }).inject({
      url: '/healthz',
      headers: { host: 'a.example' },
    });
    expect(response.statusCode).toBe(200);
  });
});

describe('foreign pages', () => {
  test('may not write, even where no token is asked for', async () => {
    const app = testServer();
    app.register(async (intake) => intake.post('/v1/events', async () => ({})));
    const post = (site: string) =>
      app.inject({ method: 'POST', url: '/v1/events', headers: { 'sec-fetch-site': site } });
    expect((await post('cross-site')).json()).toMatchObject({ status: 403, code: 'EVS_HTTP' });
    expect((await post('same-origin')).statusCode).toBe(200);
  });
});
