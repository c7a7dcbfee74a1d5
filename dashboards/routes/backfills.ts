import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type BackfillAnswer, BackfillListSchema } from '../analytics-door.ts';
import { PROBLEM_RESPONSES, type Refusal, sendProblem } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';
import { parseTimeMs } from '../window-range.ts';

const BodySchema = Type.Object(
  {
    pool: Type.Optional(Type.String({ minLength: 1, description: 'One pool. Default: all' })),
    from: Type.Optional(
      Type.String({ description: 'RFC 3339 or epoch milliseconds. Default: the first stored request' }),
    ),
    to: Type.Optional(
      Type.String({ description: 'End (exclusive), RFC 3339 or epoch milliseconds. Default: the last closed window' }),
    ),
  },
  { additionalProperties: false },
);

/**
 * `POST /api/v1/backfills`: has the jobs compute a range again, beside their own work. `GET`: how far they are. Under `/api/`, so
 * that a token of scope ingest does neither.
 */
export function routeBackfills(app: FastifyInstance, { backfills }: ServerOptions): void {
  app.post<{ Body: Static<typeof BodySchema> }>(
    '/api/v1/backfills',
    {
      schema: {
        summary: 'Have the windows of a range computed again; to ask for the same again changes nothing',
        tags: ['operations'],
        body: BodySchema,
        response: { 202: { description: 'What will be done', ...BackfillListSchema }, ...PROBLEM_RESPONSES },
      },
    },
    async (request, reply) => {
      const { pool = null } = request.body;
      const from = readTime('from', request.body.from);
      const to = readTime('to', request.body.to);
      if (from.refusal !== null) return sendProblem(reply, from.refusal);
      if (to.refusal !== null) return sendProblem(reply, to.refusal);
      if (from.atMs !== null && to.atMs !== null && from.atMs >= to.atMs) {
        return sendProblem(reply, badRequest('from must be before to (the range is [from, to))'));
      }
      const answer = await backfills.ask({ pool, fromMs: from.atMs, toMs: to.atMs });
      if (answer.kind !== 'asked') return sendProblem(reply, refusalOfAnswer(answer, pool));
      return reply.code(202).send({ backfills: answer.backfills });
    },
  );
  app.get(
    '/api/v1/backfills',
    {
      schema: {
        summary: 'The newest backfill of every pool, and how far it is',
        tags: ['operations'],
        response: {
          200: { description: 'The backfills, in order of pool', ...BackfillListSchema },
          ...PROBLEM_RESPONSES,
        },
      },
    },
    async () => ({ backfills: await backfills.list() }),
  );
}

type ReadTime = { readonly atMs: number | null; readonly refusal: Refusal | null };

function readTime(name: string, text: string | undefined): ReadTime {
  if (text === undefined) return { atMs: null, refusal: null };
  const atMs = parseTimeMs(text);
  if (atMs !== null) return { atMs, refusal: null };
  const shown = JSON.stringify(text.slice(0, 64));
  const detail = `${name} is not a time: ${shown}; times are RFC 3339 (2026-11-01T10:05:00Z) or epoch milliseconds`;
  return { atMs, refusal: badRequest(detail) };
}

function badRequest(detail: string): Refusal {
  return { status: 400, code: 'EVS_USAGE', detail };
}

function refusalOfAnswer(answer: Exclude<BackfillAnswer, { kind: 'asked' }>, pool: string | null): Refusal {
  switch (answer.kind) {
    case 'no_pool':
      return badRequest(
        pool === null || answer.known.length === 0
          ? 'the store holds no requests: load a log first, or start a gateway'
          : `there is no pool ${JSON.stringify(pool)}; GET /api/v1/pools lists them`,
      );
    case 'no_window':
      return badRequest('the range holds no closed window with requests: choose another from or to');
    case 'busy': {
      const { backfill } = answer;
      const detail = `pool ${JSON.stringify(backfill.pool)} is being computed from ${backfill.from} to ${backfill.to}: ask again when that is done`;
      return { status: 409, code: 'EVS_BUSY', detail };
    }
  }
}
