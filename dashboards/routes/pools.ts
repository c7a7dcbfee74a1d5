import type { FastifyInstance } from 'fastify';
import { type PoolsResponse, PoolsResponseSchema } from '../api-schema.ts';
import { PROBLEM_RESPONSES } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';

const DEAD_LETTER_SPAN_MS = 24 * 60 * 60_000;

/** `GET /api/v1/pools`: every pool with its newest window, without tenants. */
export function routePools(app: FastifyInstance, { reader, clock, windowMs }: ServerOptions): void {
  app.get(
    '/api/v1/pools',
    {
      schema: {
        summary: 'Every pool with its newest window, and the dead letters of the last 24 hours',
        tags: ['fairness'],
        response: { 200: { description: 'The pools, in order of name', ...PoolsResponseSchema }, ...PROBLEM_RESPONSES },
      },
    },
    async (): Promise<PoolsResponse> => {
      const nowMs = clock.nowMs();
      const sinceMs = nowMs - DEAD_LETTER_SPAN_MS;
      const [pools, byReason] = await Promise.all([reader.pools(), reader.deadLetters(sinceMs)]);
      return {
        now: new Date(nowMs).toISOString(),
        window_ms: windowMs,
        pools: [...pools].sort((a, b) => (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0)),
        dead_letters: { since: new Date(sinceMs).toISOString(), by_reason: byReason },
      };
    },
  );
}
