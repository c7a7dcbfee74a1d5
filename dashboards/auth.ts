import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Refusal, sendProblem } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `public`: needs no token. Any other route needs one as soon as tokens are configured. */
    access?: 'public';
  }
}

/** `operator` may do everything; `ingest` may POST under `/v1/` and nothing else. */
export interface AccessToken {
  readonly token: string;
  readonly scope: 'operator' | 'ingest';
}

export interface AccessRequest {
  /** The `Authorization` header as it came. */
  readonly authorization: string | undefined;
  readonly method: string;
  /** The pattern of the matched route; undefined where none matched (the answer is a 404 either way). */
  readonly routePath: string | undefined;
  readonly access: 'public' | undefined;
}

/** Guards every route of the instance, those registered later too. No tokens: everything is open. */
export function guardWithTokens(app: FastifyInstance, tokens: readonly AccessToken[]): void {
  if (tokens.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refuseAccess(tokens, {
      authorization: request.headers.authorization,
      method: request.method,
      routePath: request.routeOptions.url,
      access: request.routeOptions.config.access,
    });
    if (refusal === null) return;
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm="evenshare"');
    return sendProblem(reply, refusal);
  });
}

/** Null when the request may pass, else why not. Every token is compared, in constant time. */
export function refuseAccess(tokens: readonly AccessToken[], request: AccessRequest): Refusal | null {
  if (request.access === 'public' || request.routePath === undefined) return null;
  const given = /^bearer +(\S+) *$/i.exec(request.authorization ?? '')?.[1];
  if (given === undefined) {
    return { status: 401, code: 'EVS_HTTP', detail: 'a token is needed: send "Authorization: Bearer TOKEN"' };
  }
  const scope = scopeOf(tokens, given);
  if (scope === null) return { status: 401, code: 'EVS_HTTP', detail: 'the token is not known to this server' };
  if (scope === 'operator') return null;
  if (request.method === 'POST' && request.routePath.startsWith('/v1/')) return null;
  return { status: 403, code: 'EVS_HTTP', detail: 'a token of scope ingest may only POST events under /v1/' };
}

function scopeOf(tokens: readonly AccessToken[], given: string): AccessToken['scope'] | null {
  const givenDigest = digestOf(given);
  let scope: AccessToken['scope'] | null = null;
  for (const candidate of tokens) {
    if (timingSafeEqual(digestOf(candidate.token), givenDigest)) scope = candidate.scope;
  }
  return scope;
}

/** Digests are of equal length, which `timingSafeEqual` asks for, and hide the token's own. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
