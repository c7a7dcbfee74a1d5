import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { PoolSeriesSchema } from '../analytics-door.ts';
import { PROBLEM_RESPONSES, sendProblem } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';
import { MAX_WINDOWS, parseWindowRange } from '../window-range.ts';

const ParamsSchema = Type.Object({ pool: Type.String({ minLength: 1 }) });

const time = (description: string) => Type.Optional(Type.String({ description }));
const QuerySchema = Type.Object(
  {
    from: time('First window start, RFC 3339 or epoch milliseconds. Default: an hour before `to`'),
    to: time('End of the range (exclusive), RFC 3339 or epoch milliseconds. Default: now'),
  },
  { additionalProperties: false },
);

/** `GET /api/v1/pools/:pool/series`: the lines of a range, per window the top tenants and the rest. */
export function routeSeries(app: FastifyInstance, { reader, clock, windowMs }: ServerOptions): void {
  app.get<{ Params: Static<typeof ParamsSchema>; Querystring: Static<typeof QuerySchema> }>(
    '/api/v1/pools/:pool/series',
    {
      schema: {
        summary: `Top tenants of a pool and the rest, in the windows that start in a range, at most ${MAX_WINDOWS}`,
        tags: ['fairness'],
        params: ParamsSchema,
        querystring: QuerySchema,
        response: { 200: { description: 'The lines, in time order', ...PoolSeriesSchema }, ...PROBLEM_RESPONSES },
      },
    },
    async (request, reply) => {
      const { pool } = request.params;
      const range = parseWindowRange({ from: request.query.from, to: request.query.to }, windowMs, clock.nowMs());
      if (!range.ok) return sendProblem(reply, { status: 400, code: 'EVS_USAGE', detail: range.detail });
      const answer = await reader.tenantSeries({ pool, fromMs: range.fromMs, toMs: range.toMs, windowMs });
      // An empty range and a name that was never seen are different news.
      if (answer.windows.length === 0 && !(await reader.pools()).some((known) => known.pool === pool)) {
        const detail = `there is no pool ${JSON.stringify(pool)}; GET /api/v1/pools lists them`;
        return sendProblem(reply, { status: 404, code: 'EVS_HTTP', detail });
      }
      return answer;
    },
  );
}
