import type { FastifyInstance } from 'fastify';
import { createServer, type ServerOptions } from '../../dashboards/index.ts';
import { fakeReader } from './fake-reader.ts';

export const NOW_MS = Date.parse('2026-11-01T11:00:07.000Z');
export const NO_WEB_ROOT = `${import.meta.dirname}/no-such-page`;

/** A server over an empty fake reader at `NOW_MS`, open to all, not listening. */
export function testServer(options: Partial<ServerOptions> = {}): FastifyInstance {
  return createServer({
    reader: fakeReader(),
    backfills: { ask: async () => ({ kind: 'no_pool', known: [] }), list: async () => [] },
    clock: { nowMs: () => NOW_MS },
    log: false,
    windowMs: 60_000,
    webRoot: NO_WEB_ROOT,
    tokens: [],
    allowedHosts: null,
    readiness: async () => ({ ready: true, reasons: [] }),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'up 1\n' }),
    ...options,
  });
}
