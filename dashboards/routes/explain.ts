import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { explainAt } from '../analytics-door.ts';
import { ExplanationSchema } from '../api-schema.ts';
import { PROBLEM_RESPONSES, sendProblem } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';
import { parseTimeMs } from '../window-range.ts';

const ParamsSchema = Type.Object({ pool: Type.String({ minLength: 1 }) });

const QuerySchema = Type.Object(
  {
    at: Type.String({ description: 'Any moment of the window, RFC 3339 or epoch milliseconds' }),
    tenant: Type.Optional(Type.String({ description: 'One tenant. Default: the whole window' })),
  },
  { additionalProperties: false },
);

/** `GET /api/v1/pools/:pool/explain`: why the stored window that holds a moment has its verdict. */
export function routeExplain(app: FastifyInstance, { reader, windowMs }: ServerOptions): void {
  app.get<{ Params: Static<typeof ParamsSchema>; Querystring: Static<typeof QuerySchema> }>(
    '/api/v1/pools/:pool/explain',
    {
      schema: {
        summary: 'Why a window, or a tenant in it, has its verdict: entitlements, water filling, ledger',
        tags: ['fairness'],
        params: ParamsSchema,
        querystring: QuerySchema,
        response: { 200: { description: 'The explanation', ...ExplanationSchema }, ...PROBLEM_RESPONSES },
      },
    },
    async (request, reply) => {
      const { pool } = request.params;
      const { at, tenant = null } = request.query;
      const atMs = parseTimeMs(at);
      if (atMs === null) {
        const detail = `at is not a time: ${JSON.stringify(at.slice(0, 64))}; times are RFC 3339 (2026-11-01T10:05:00Z) or epoch milliseconds`;
        return sendProblem(reply, { status: 400, code: 'EVS_USAGE', detail });
      }
      const answer = await explainAt(reader, { pool, atMs, windowMs, tenant });
      switch (answer.kind) {
        case 'explained':
          return answer.explanation;
        case 'no_pool': {
          const detail = `there is no pool ${JSON.stringify(pool)}; GET /api/v1/pools lists them`;
          return sendProblem(reply, { status: 404, code: 'EVS_HTTP', detail });
        }
        case 'no_window':
        case 'no_tenant':
          return sendProblem(reply, { status: 404, code: 'EVS_HTTP', detail: answer.detail });
      }
    },
  );
}
