import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, ProblemSchema } from './api-schema.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Responses of every documented route that failed, for its schema. */
export const PROBLEM_RESPONSES = {
  '4xx': {
    description: 'The request is refused',
    content: { [PROBLEM_CONTENT_TYPE]: { schema: ProblemSchema } },
  },
  '5xx': {
    description: 'The server failed',
    content: { [PROBLEM_CONTENT_TYPE]: { schema: ProblemSchema } },
  },
} as const;

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** One sentence for a person: what is wrong and how to mend it. */
  readonly detail: string;
}

export function problemOf(refusal: Refusal): Problem {
  const title = STATUS_CODES[refusal.status] ?? 'Error';
  return { type: 'about:blank', title, status: refusal.status, detail: refusal.detail, code: refusal.code };
}

/** Answers with problem details. The body is serialised here: no response schema may change or drop it. */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_CONTENT_TYPE)
    .serializer(String)
    .send(JSON.stringify(problemOf(refusal)));
}

const RETRY_AFTER_S = 5;

/** Makes every 404 and every thrown error of the instance a problem document; the causes of 5xx go to the log only. */
export function answerWithProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, {
      status: 404,
      code: 'EVS_HTTP',
      detail: `there is nothing at ${request.method} ${pathOf(request)}`,
    }),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error, request.id);
    if (refusal.status >= 500) request.log.error({ err: error }, 'request failed');
    if (refusal.status === 429 || refusal.status === 503) reply.header('retry-after', String(RETRY_AFTER_S));
    return sendProblem(reply, refusal);
  });
}

/**
 * What a caller may know of an error. Errors of ours (`EVS_…`) carry messages for people; those of Fastify under 500 are
 * about the request; anything else stays in the log under the request's id.
 */
export function refusalOf(
  error: Pick<FastifyError, 'code' | 'message' | 'statusCode' | 'validation'>,
  requestId: string,
): Refusal {
  const code = typeof error.code === 'string' ? error.code : '';
  if (error.validation !== undefined) {
    return { status: 400, code: 'EVS_USAGE', detail: withUnknownName(error.message, error.validation) };
  }
  if (code.startsWith('EVS_') && code !== 'EVS_INVARIANT') {
    return { status: error.statusCode ?? statusOfCode(code, error), code, detail: error.message };
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return { status, code: 'EVS_HTTP', detail: error.message };
  const detail = `the server failed to answer; its log has the cause under request ${requestId}`;
  return { status: 500, code: code === 'EVS_INVARIANT' ? code : 'EVS_HTTP', detail };
}

function statusOfCode(code: string, error: object): number {
  if (code.startsWith('EVS_INPUT_') || code === 'EVS_USAGE' || code === 'EVS_POLICY') return 400;
  if (code === 'EVS_RANGE_EXPIRED') return 410;
  if (code === 'EVS_BUSY') return 429;
  const retryable = 'retryable' in error && error.retryable === true;
  return retryable || code === 'EVS_STORE_UNREACHABLE' || code === 'EVS_STORE_LOCKED' ? 503 : 500;
}

function withUnknownName(message: string, validation: NonNullable<FastifyError['validation']>): string {
  const unknownName = validation[0]?.params.additionalProperty;
  return typeof unknownName === 'string' ? `${message} ("${unknownName}" is not known)` : message;
}

/** The path without its query, which may hold what a caller would not like to read back in a log. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url;
}
