import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { PoolWindowsSchema } from '../api-schema.ts';
import { PROBLEM_RESPONSES, sendProblem } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';
import { MAX_WINDOWS, parseWindowRange } from '../window-range.ts';

const ParamsSchema = Type.Object({ pool: Type.String({ minLength: 1 }) });

const time = (description: string) => Type.Optional(Type.String({ description }));
const QuerySchema = Type.Object(
  {
    from: time('First window start, RFC 3339 or epoch milliseconds. Default: an hour before `to`'),
    to: time('End of the range (exclusive), RFC 3339 or epoch milliseconds. Default: now'),
    tenants: Type.Optional(
      Type.String({ pattern: '^[01]$', default: '1', description: '0: leave `tenants` of every window empty' }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /api/v1/pools/:pool/windows`: the windows of a range, at most `MAX_WINDOWS`. */
export function routeWindows(app: FastifyInstance, { reader, clock, windowMs }: ServerOptions): void {
  app.get<{ Params: Static<typeof ParamsSchema>; Querystring: Static<typeof QuerySchema> }>(
    '/api/v1/pools/:pool/windows',
    {
      schema: {
        summary: `Windows of a pool that start in a range, at most ${MAX_WINDOWS}`,
        tags: ['fairness'],
        params: ParamsSchema,
        querystring: QuerySchema,
        response: { 200: { description: 'The windows, in time order', ...PoolWindowsSchema }, ...PROBLEM_RESPONSES },
      },
    },
    async (request, reply) => {
      const { pool } = request.params;
      const range = parseWindowRange({ from: request.query.from, to: request.query.to }, windowMs, clock.nowMs());
      if (!range.ok) return sendProblem(reply, { status: 400, code: 'EVS_USAGE', detail: range.detail });
      const { fromMs, toMs } = range;
      const answer = await reader.windows({ pool, fromMs, toMs, windowMs, withTenants: request.query.tenants !== '0' });
      // An empty range and a name that was never seen are different news.
      if (answer.windows.length === 0 && !(await reader.pools()).some((known) => known.pool === pool)) {
        const detail = `there is no pool ${JSON.stringify(pool)}; GET /api/v1/pools lists them`;
        return sendProblem(reply, { status: 404, code: 'EVS_HTTP', detail });
      }
      return answer;
    },
  );
}
